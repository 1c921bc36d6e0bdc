const SRC = 'services/event-router/src';
const mutant = (name, file, from, to) => ({ name, file: `${SRC}/${file}`, from, to });

/**
 * Faults that tests of the event router must detect. `from` occurs exactly once in `file`; replacing it with `to` must
 * make the model of the router fail, or the spec that `spec` names.
 */
module.exports = [
  // Commits
  mutant(
    'a commit that was applied is applied again',
    'store/memory/memory-commit.ts',
    'if (sequence === partition.sequence) return false;',
    'if (sequence === partition.sequence) return true;',
  ),
  mutant(
    'a commit of unknown outcome is made up anew',
    'progress/owned-partition.ts',
    'this.pendingCommit ??= this.makeUp();',
    'this.pendingCommit = this.makeUp() ?? this.pendingCommit;',
  ),
  mutant(
    'new endings are merged into a commit that is repeated',
    'progress/owned-partition.ts',
    'this.pendingCommit ??= this.makeUp();',
    `if (this.pendingCommit === undefined) this.pendingCommit = this.makeUp();
    else {
      const { changes } = this.pendingCommit;
      const { outcomes, settled } = this.gathered;
      this.pendingCommit.changes = { ...changes,
        outcomes: [...changes.outcomes, ...outcomes.splice(0)],
        settled: [...changes.settled, ...settled.splice(0)] };
    }`,
  ),
  mutant(
    'a deposed owner may commit',
    'store/memory/memory-commit.ts',
    'if (partition.epoch !== each.epoch) lost.push(each.partition);',
    'if (partition.epoch < each.epoch) lost.push(each.partition);',
  ),
  mutant(
    'rows that are refused are not replaced',
    'progress/without-refused.ts',
    'return { ...changes, counts, times, stored, outcomes: [...ended.values()] };',
    'return changes;',
  ),
  {
    ...mutant(
      'rows are emptied that the database refuses whatever they hold',
      'progress/committer.ts',
      'if (error instanceof CommitRefused) pending.changes = changes;',
      '',
    ),
    spec: `${SRC}/progress/committer.spec.ts`,
  },
  {
    ...mutant(
      'an open circuit reports that new deliveries were tried',
      'lanes/lane-health.ts',
      'return this.lastFailureMs >= fromMs;',
      "return this.current === 'circuit' || this.lastFailureMs >= fromMs;",
    ),
    spec: `${SRC}/lanes/lane-health.spec.ts`,
  },
  {
    ...mutant(
      'a row that is refused is on record as it had ended before',
      'progress/without-refused.ts',
      'return { ...changes, counts, times, stored, outcomes: [...ended.values()] };',
      'return { ...changes, counts, times, stored };',
    ),
    spec: `${SRC}/progress/without-refused.spec.ts`,
  },
  {
    ...mutant(
      'outcomes are taken to be on the log although they are not',
      'outcomes/outcome-relay.ts',
      'await this.append(commits);',
      'this.append(commits).catch(() => undefined);',
    ),
    spec: `${SRC}/outcomes/outcome-relay.spec.ts`,
  },
  {
    ...mutant(
      'a deposed owner notes what is on the log',
      'store/memory/memory-router-store.ts',
      'if (this.leases.isHeld(each)) this',
      'this',
    ),
    spec: `${SRC}/store/memory/memory-router-store.spec.ts`,
  },
  mutant(
    'a refused row of a bad ending is counted twice',
    'progress/without-refused.ts',
    'else if (step !== null)',
    'else if (step === undefined)',
  ),
  mutant(
    'a partition is left without a last commit',
    'engine.ts',
    'await this.committer.flush(partition, last.signal);',
    '',
  ),
  // Open deliveries
  mutant(
    'all deliveries of an event are closed with one',
    'progress/open-deliveries.ts',
    'if (!this.all.delete(entry)) return false;',
    `if (!this.all.delete(entry)) return false;
    for (const other of [...this.all]) if (other.offset === entry.offset) this.close(other);`,
  ),
  mutant(
    'what a row holds stays open',
    'lanes/endings.ts',
    `key.partition.open.close(entry);
    this.store`,
    'this.store',
  ),
  mutant(
    'a snapshot leaves out what is new',
    'progress/open-deliveries.ts',
    'snapshot: [...this.all].map(copied)',
    'snapshot: [...this.all].filter((each) => !open.some((it) => it.offset === each.offset)).map(copied)',
  ),
  {
    ...mutant(
      'what was tried is not on record',
      'progress/open-deliveries.ts',
      'if (this.all.has(entry)) this.touched.add(entry);',
      '',
    ),
    spec: `${SRC}/progress/open-deliveries.spec.ts`,
  },
  // Cursors
  mutant(
    'a lane detaches one record too late',
    'reading/distribution.ts',
    'owner.detach(part, incoming.record.offset + 1)',
    'owner.detach(part, incoming.record.offset + 2)',
  ),
  mutant(
    'a lane detaches one record too early',
    'reading/distribution.ts',
    'owner.detach(part, incoming.record.offset + 1)',
    'owner.detach(part, incoming.record.offset)',
  ),
  mutant(
    'positions are not stored',
    'progress/cursors.ts',
    'moved.push({ lane, orderKey, position, owed: new Map(owed) });',
    '',
  ),
  mutant(
    'dropped cursors keep their rows',
    'progress/cursors.ts',
    'return { moved, dropped };',
    'return { moved, dropped: [] };',
  ),
  {
    ...mutant(
      'a cursor that is added anew is dropped still',
      'progress/cursors.ts',
      'if (this.dropped.delete(name)) this.written.set(name, OUTDATED);',
      '',
    ),
    spec: `${SRC}/progress/cursors.spec.ts`,
  },
  mutant(
    'keys that are left are not stored',
    'lanes/lane-part.ts',
    'this.partition.holdCursor({ lane: this.lane, orderKey }, position);',
    `orderKey === ''
      ? this.partition.holdCursor({ lane: this.lane, orderKey }, position)
      : { lane: this.lane, orderKey, position, owed: new Map() };`,
  ),
  mutant('what is asleep is forgotten', 'lanes/detachment.ts', 'this.asleep.push(...entries);', ''),
  mutant(
    'the live reader counts for detached lanes',
    'reading/distribution.ts',
    'audienceOf(sourceRoutes, detachedLanes)',
    'audienceOf(sourceRoutes, new Set<ConnectionId>())',
  ),
  mutant(
    'a key that is left is left again when its turn comes',
    'lanes/lane.ts',
    'part.partition.open.open(entry);',
    `if (part.leftTo(held) !== undefined) return;
    part.partition.open.open(entry);`,
  ),
  mutant(
    'an expired delivery stays open',
    'reading/placement.ts',
    'if (entry === undefined || !partition.open.close(entry)) return;',
    'if (entry !== undefined) return;',
  ),
  // Retention
  mutant(
    'what a key is owed is not counted',
    'lanes/lane.ts',
    'else part.partition.cursors.owe(left.cursor, id);',
    '',
  ),
  mutant(
    'what a key was given is owed still',
    'reading/distribution.ts',
    'part.partition.cursors.pay(detachment.cursor, pipeline.state.id);',
    '',
  ),
  mutant(
    'what a key is owed is stored only when the key has moved',
    'progress/cursors.ts',
    'if (this.written.has(name)) this.written.set(name, OUTDATED);',
    '',
  ),
  mutant(
    'what a key is owed is forgotten at a restart',
    'progress/cursors.ts',
    'owed: new Map(cursor.owed)',
    'owed: new Map()',
  ),
  mutant(
    'what a key is owed ends before the key has read what is left',
    'reading/placement.ts',
    'if (!isUp) return;',
    'if (isUp === undefined) return;',
  ),
  mutant(
    'what a key is owed ends with nothing',
    'reading/placement.ts',
    'partition.count(pipeline, EXPIRED, this.context.wall.nowMs(), count);',
    'partition.count(pipeline, EXPIRED, this.context.wall.nowMs(), count - count);',
  ),
  {
    ...mutant(
      'what a key at the live reader is owed is not stored',
      'progress/cursors.ts',
      ' && owed.size === 0',
      '',
    ),
    spec: `${SRC}/progress/cursors.spec.ts`,
  },
  {
    ...mutant(
      'a lane has lost what was not routed yet',
      'reading/placement.ts',
      'Math.min(begin, place.end)',
      'begin',
    ),
    spec: `${SRC}/reading/placement.spec.ts`,
  },
  {
    ...mutant(
      'a lane is given what was read before a gap',
      'reading/slices.ts',
      ' && partition.gaps === gaps',
      '',
    ),
    spec: `${SRC}/reading/slices.spec.ts`,
  },
  // Duplicates
  mutant(
    'repeats are not recorded for lanes below',
    'progress/owned-partition.ts',
    'if (this.cursors.size > 0) this.repeats.add(offset, kind);',
    '',
  ),
  mutant(
    'message ids are forgotten with their commit',
    'progress/recent-messages.ts',
    'this.confirmed.add(messages);',
    'this.committed = this.committed.filter((each) => each !== messages);',
  ),
  mutant(
    'message ids are not remembered',
    'progress/owned-partition.ts',
    'messages: this.recent.take(),',
    'messages: new Map<string, string>(),',
  ),
  // Keys and rows
  mutant(
    'half of the keys that failed together is lost',
    'sending/retries.ts',
    '[keys.slice(0, middle), keys.slice(middle)]',
    '[keys.slice(0, middle)]',
  ),
  mutant(
    'rows that leave memory are passed by',
    'lanes/key-queue.ts',
    'this.rowCursor = first.before;',
    'this.rowCursor = keyOf(first);',
  ),
  {
    ...mutant(
      'rows that have ended are loaded again before that is committed',
      'sending/row-loader.ts',
      'if (row.replay === null && settling.has(nameOf(row))) continue;',
      '',
    ),
    spec: `${SRC}/sending/row-loader.spec.ts`,
  },
  {
    ...mutant(
      'a delivery of a replay is not loaded while a live one of its name ends',
      'sending/row-loader.ts',
      'if (row.replay === null && settling.has(nameOf(row))) continue;',
      'if (settling.has(nameOf(row))) continue;',
    ),
    spec: `${SRC}/sending/row-loader.spec.ts`,
  },
  {
    ...mutant(
      'rows that are not committed yet are given up',
      'lanes/row-loads.ts',
      'this.foundNothing(key, sequenceCommitted);',
      'this.foundNothing(key, key.partition.sequenceCommitted);',
    ),
    spec: `${SRC}/lanes/key-flow.spec.ts`,
  },
  mutant(
    'what failed goes to the end of its key',
    'lanes/key-queue.ts',
    'this.live.unshift(...live);',
    'this.live.push(...live);',
  ),
  // Leases
  mutant(
    'a lease that has lapsed holds still',
    'ownership/tenure.ts',
    'return this.isAlive && this.deps.clock.nowMs() < this.untilMs;',
    'return this.isAlive;',
  ),
  {
    ...mutant(
      'a grant is believed though a later one was given back',
      'ownership/slot.ts',
      'grant === null || grant.epoch < this.supersededEpoch',
      'grant === null',
    ),
    spec: `${SRC}/ownership/ownership.model.spec.ts`,
  },
  mutant(
    'a request is written without a lease',
    'sending/dispatcher.ts',
    '[...partitions].every((each) => !each.isGone && holds(each.number));',
    'partitions.size > 0 || holds(0);',
  ),
  mutant(
    'requests under way are not waited for',
    'engine.ts',
    'const quiet = Promise.all([this.deps.reader.stop(number), requests.ended()]);',
    'const quiet = this.deps.reader.stop(number);',
  ),
  {
    ...mutant(
      'what is owned is not checked after it was leased',
      'store/memory/memory-router-store.ts',
      'if (!this.leases.isHeld(grant)) throw new LeaseLost(grant.partition);',
      '',
    ),
    spec: `${SRC}/store/memory/memory-router-store.spec.ts`,
  },
  // Time, rules and functions
  mutant(
    'steps of the clock are followed at once',
    'progress/steady-wall.ts',
    'Math.min(Math.abs(missingMs), SLEW * passedMs)',
    'Math.abs(missingMs)',
  ),
  mutant(
    'a backlog is parked without a failure',
    'sending/settlement.ts',
    'return attempts > 0 || key.lastFailureMs',
    'return attempts >= 0 || key.lastFailureMs',
  ),
  mutant(
    'events of suppressed users are sent',
    'sending/batch-builder.ts',
    'else if (this.rules.isSuppressed(delivery))',
    'else if (this.rules.isSuppressed(delivery) && room < 0)'.replace(
      'room < 0',
      'events.length < 0',
    ),
  ),
  mutant(
    'opted-out events are counted where they are not given',
    'reading/distribution.ts',
    'if (optedOut.has(lane) && isWanted(lane))',
    'if (optedOut.has(lane))',
  ),
  mutant(
    'what was deleted is delivered',
    'sending/batch-builder.ts',
    "if (this.rules.isDeleted(delivery)) this.settlement.park(key, delivery, 'Deleted');\n    else if",
    'if',
  ),
  mutant(
    'a record without a sandbox has failed',
    'sending/function-queue.ts',
    'if (!(error instanceof SandboxUnavailable)) return this.runApart(tasks, error);',
    'return this.runApart(tasks, error);',
  ),
  mutant(
    'records fail with a neighbour',
    'sending/function-queue.ts',
    'for (const each of tasks) await this.run([each]);',
    'for (const each of tasks) each.onResult(INTERNAL_ERROR);',
  ),
  mutant(
    'unreadable records are dropped',
    'reading/report-unreadable.ts',
    "unreadable.push({ offset, orderKey, value: value ?? '', reason: reason.slice(0, MAX_REASON) });",
    '',
  ),
  {
    ...mutant(
      'what no lane has looked into is dropped when it is no event',
      'reading/distribution.ts',
      `if (kind === 'New' && incoming.event === undefined) return this.report(partition, incoming);
    partition.base(audienceOf(sourceRoutes, lane)`,
      'partition.base(audienceOf(sourceRoutes, lane)',
    ),
    spec: `${SRC}/reading/distribution.spec.ts`,
  },
  {
    ...mutant(
      'a lane of which nothing comes keeps its share',
      'lanes/lane-share.ts',
      'return this.isStuck ? Math.min(STUCK_OPEN, share) : share;',
      'return share;',
    ),
    spec: `${SRC}/lanes/lane-share.spec.ts`,
  },
  {
    ...mutant(
      'a lane of which all requests fail moves its keys to the store',
      'lanes/lane.ts',
      'if (isBlocked || isSuspect || waitMs > 0) return;',
      'if (isBlocked || waitMs > 0) return;',
    ),
    spec: `${SRC}/troubled-lanes.spec.ts`,
  },
  {
    ...mutant(
      'a lane of which nothing comes is read again for',
      'lanes/lane.ts',
      'return this.health.isSuspect || this.share.isStuck;',
      'return this.health.isSuspect;',
    ),
    spec: `${SRC}/troubled-lanes.spec.ts`,
  },
  {
    ...mutant(
      'a lane of which nothing comes is given more than is left to it',
      'lanes/lane.ts',
      'return Math.min(this.share.openInDoubt - this.length, this.maxOpen - part.length);',
      'return this.share.openInDoubt - this.length;',
    ),
    spec: `${SRC}/troubled-lanes.spec.ts`,
  },
  {
    ...mutant(
      'all failing keys move to the store at once',
      'lanes/spill-overdue.ts',
      'lane.spill(new SpillAllowance(maxRows / parts, MAX_BYTES / parts));',
      'lane.spill(new SpillAllowance(Infinity, Infinity));',
    ),
    spec: `${SRC}/troubled-lanes.spec.ts`,
  },
  mutant(
    'of a key that moves in steps the newest deliveries move first',
    'lanes/spill-key.ts',
    'const stored = key.live.splice(0, allowance.take(key.live.slice(0, room)));',
    'const stored = key.live.splice(-allowance.take(key.live.slice(0, room)) || key.live.length);',
  ),
  {
    ...mutant(
      'the rows of all keys are read at once',
      'lanes/row-loads.ts',
      'while (this.underWay < LOADS_AT_ONCE) {',
      'for (;;) {',
    ),
    spec: `${SRC}/lanes/key-flow.spec.ts`,
  },
  mutant(
    'memory of deliveries is not given back',
    'lanes/endings.ts',
    "this.budget.release('deliveries', DELIVERY_BYTES);",
    '',
  ),
  {
    ...mutant(
      'rows are loaded though there is no room for them',
      'lanes/row-room.ts',
      'if (maxBytes > 0 && !isBlocked) return { ...WHOLE_PAGE, maxBytes };',
      'if (!isBlocked) return { ...WHOLE_PAGE, maxBytes };',
    ),
    spec: `${SRC}/lanes/row-room.spec.ts`,
  },
  {
    ...mutant(
      'rows are loaded of which an attempt is not committed yet',
      'lanes/row-loads.ts',
      'if (!isGone && partition.sequenceCommitted >= key.triedFrom) return key;',
      'if (!isGone) return key;',
    ),
    spec: `${SRC}/lanes/row-loads.spec.ts`,
  },
  {
    ...mutant(
      'full memory is freed only from 80 % on',
      'memory-relief.ts',
      'if (this.budget.hasRoom) this.triedAt = 0;',
      'if (!this.budget.isTight) this.triedAt = 0;',
    ),
    spec: `${SRC}/memory-relief.spec.ts`,
  },
  {
    ...mutant(
      'one lane takes all memory for catching up',
      'reading/has-memory.ts',
      'bytes < budget.spareBytes',
      'bytes >= 0 && budget.spareBytes > 0',
    ),
    spec: `${SRC}/shares-of-memory.spec.ts`,
  },
  {
    ...mutant(
      'one partition of which commits are missing stops all',
      'progress/committer.ts',
      'if (error instanceof CommitsMissing) return this.giveUp(each, error);',
      '',
    ),
    spec: `${SRC}/progress/committer.spec.ts`,
  },
  {
    ...mutant(
      'the end of a pause by another router does not count',
      'lanes/lane-health.ts',
      'if (hasSucceeded) this.successCount += 1;',
      '',
    ),
    spec: `${SRC}/lanes/lane-pauses.spec.ts`,
  },

  // Health
  {
    ...mutant(
      'every router reports the health',
      'store/memory/memory-router-store.ts',
      'if (members[0] !== this.member) return undefined;',
      '',
    ),
    spec: `${SRC}/store/memory/memory-router-store.spec.ts`,
  },
  {
    ...mutant(
      'a trouble that no router observes any more is over',
      'health/health-reporter.ts',
      'observed.has(id) || (this.versionOf({ subject, id }) ?? 0) <= objectVersion',
      'observed.has(id)',
    ),
    spec: `${SRC}/health/health-reporter.spec.ts`,
  },
  {
    ...mutant(
      'of several routers the best health is reported',
      'health/worst-of.ts',
      'badnessOf(one) > badnessOf(other) ||',
      'badnessOf(one) < badnessOf(other) ||',
    ),
    spec: `${SRC}/health/worst-of.spec.ts`,
  },
  {
    ...mutant(
      'a lane works although nothing has succeeded',
      'health/lane-codes.ts',
      "const hasWorked = successes > (last?.successes ?? 0) || last?.code === '';",
      'const hasWorked = true;',
    ),
    spec: `${SRC}/health/lane-codes.spec.ts`,
  },

  // Traces
  {
    ...mutant(
      'the last failed attempts are not recorded when a delivery ends',
      'lanes/attempt-trail.ts',
      'attempts.push(...late);',
      '',
    ),
    spec: `${SRC}/lanes/attempt-trail.spec.ts`,
  },
  {
    ...mutant(
      'every failed attempt is recorded',
      'lanes/attempt-trail.ts',
      'if (attempt.attempt <= FIRST_ATTEMPTS)',
      'if (attempt.attempt > 0)',
    ),
    spec: `${SRC}/lanes/attempt-trail.spec.ts`,
  },
  {
    ...mutant(
      'failed attempts are not found by the block of their event',
      'store/trail-blocks.ts',
      'for (const { offset } of attempts) blocks.add(blockOf(offset));',
      '',
    ),
    spec: `${SRC}/store/trail-blocks.spec.ts`,
  },
  {
    ...mutant(
      'a delivery whose ending is not kept is taken for an open one',
      'tracing/fate.ts',
      "return isRecorded ? ofOpen(sources) : { ...NOTHING, state: 'Unknown' };",
      'return ofOpen(sources);',
    ),
    spec: `${SRC}/tracing/fate.spec.ts`,
  },
  {
    ...mutant(
      'the events of a message id are not neighbours in the index',
      'routing/incoming-event.ts',
      'messageHashPrefix(messageId) + digitsOf(',
      'messageHashPrefix(orderKey) + digitsOf(',
    ),
    spec: `${SRC}/routing/incoming.spec.ts`,
  },
];
