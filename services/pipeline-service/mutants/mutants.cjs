const { mutant } = require('../../../scripts/mutants/mutant.cjs');

const RUNS = 'domain/run-control.decide.spec.ts';
const LIVE_RUNS = 'domain/live-runs.spec.ts';
const RESOLUTIONS = 'domain/resolution.decide.spec.ts';
const ORGANIZATIONS = 'domain/organization.decide.spec.ts';
const CONNECTIONS = 'domain/connection.decide.spec.ts';
const RELAY = 'relay/relay.spec.ts';
const LATE_WRITES = 'warehouse/late-writes.spec.ts';

/** Faults of the pipeline service that its specs must notice. */
module.exports = [
  // Decisions
  mutant(
    'a pipeline has two live runs',
    'domain/run-control.decide.ts',
    "if (state?.live) throw new Refusal('PipelineAlreadyRunning');",
    '',
    RUNS,
  ),
  mutant(
    'a slot is decided twice',
    'domain/run-control.decide.ts',
    "(state.lastSlot ?? '') >= slot",
    "(state.lastSlot ?? '') > slot",
    RUNS,
  ),
  mutant(
    'the end of an earlier run ends the live one',
    'domain/run-control.decide.ts',
    'return state?.live?.run === command.end.run ?',
    'return state?.live ?',
    LIVE_RUNS,
  ),
  mutant(
    'the cursor of a failed run moves the cursor',
    'domain/run-control.decide.ts',
    "...(status === 'Succeeded' &&",
    '...(status.length > 0 &&',
    RUNS,
  ),
  mutant(
    'the end of a run moves a cursor that was cleared during it',
    'domain/run-control.decide.ts',
    'state.live?.movesCursor !== false && { cursor',
    'state.live !== undefined && { cursor',
    LIVE_RUNS,
  ),
  mutant(
    'the schedule of a deleted pipeline goes on',
    'domain/run-control.decide.ts',
    'return [...cancelled, ...setSchedule({ id, workspace }, state, null, now)];',
    'return cancelled;',
    RUNS,
  ),
  mutant(
    'a workspace has two live resolutions',
    'domain/resolution.decide.ts',
    'return state?.waiting && !state.live ?',
    'return state?.waiting ?',
    RESOLUTIONS,
  ),
  mutant(
    'a full resolution that has failed is owed no more',
    'domain/resolution.decide.ts',
    '|| state?.isFullOwed === true;',
    ';',
    RESOLUTIONS,
  ),
  mutant(
    'a key of another workspace is revoked',
    'domain/organization.decide.ts',
    'if (key === undefined || (within !== null && key.workspace !== within))',
    'if (key === undefined)',
    ORGANIZATIONS,
  ),
  mutant(
    'an organization has one key more than it may',
    'domain/organization.decide.ts',
    'if (apiKeys.length >= maxKeys)',
    'if (apiKeys.length > maxKeys)',
    ORGANIZATIONS,
  ),
  mutant(
    'keys of a deleted workspace stay',
    'domain/organization.decide.ts',
    'return state.apiKeys.filter(({ workspace }) => workspace === command.workspace).map(revoked);',
    'return [];',
    ORGANIZATIONS,
  ),
  mutant(
    'the last write key of a source is deleted',
    'domain/connection.decide.ts',
    "if (writeKeys.length === 1) throw new Refusal('SingleEventWriteKey');",
    '',
    CONNECTIONS,
  ),
  mutant(
    'a deleted connection is changed',
    'domain/connection.decide.ts',
    "if (state === null || state.deleted) throw new Refusal('ConnectionNotExist');",
    "if (state === null) throw new Refusal('ConnectionNotExist');",
    CONNECTIONS,
  ),
  mutant(
    'a workspace is found by another organization',
    'command-handling/existing-workspace.ts',
    'own.state.deleted || own.state.organization !== organization)',
    'own.state.deleted)',
    'command-handling/existing-workspace.spec.ts',
  ),
  // Relay
  mutant(
    'facts are published before states',
    'relay/relay.ts',
    `await log.append(TOPIC.configurationState, facts.flatMap(stateMessages(dataKeys)), options);`,
    `await log.append(TOPIC.configuration, facts.map(factMessage), options);
  await log.append(TOPIC.configurationState, facts.flatMap(stateMessages(dataKeys)), options);`,
    RELAY,
  ),
  mutant(
    'a workspace stands on the log before the key that opens it',
    'relay/relay.ts',
    '[dataKeyMessage(dataKey), message]',
    '[message, dataKeyMessage(dataKey)]',
    RELAY,
  ),
  mutant(
    'the key of a deleted workspace stays on the log',
    'relay/relay.ts',
    'if (known.deleted) return [message, erasureMessage(known.id)];',
    'if (known.deleted) return [message];',
    RELAY,
  ),
  mutant(
    'states are published after the right to do so is lost',
    'relay/relay.ts',
    'await check();',
    '',
    RELAY,
  ),
  mutant(
    'the last position is looked for among the newest records only',
    'relay/relay.ts',
    'to = from;',
    'return 0;',
    RELAY,
  ),
  // Scheduler
  mutant(
    'two schedulers decide at once',
    'runs/scheduler.ts',
    'if (row?.locked !== true) return false;',
    'if (row === undefined) return false;',
    'runs/scheduler.spec.ts',
  ),
  mutant(
    'a pipeline that cannot be decided holds up all others',
    'runs/scheduler.ts',
    'else this.undecided.add(id as PipelineId);',
    '',
    'runs/scheduler.spec.ts',
  ),
  mutant(
    'a schedule of a disabled organization runs',
    'runs/scheduler.ts',
    "if (!isOrganizationEnabled) return 'organization';",
    '',
    'runs/scheduler.spec.ts',
  ),
  mutant(
    'a slot is run beside the live run',
    'runs/scheduler.ts',
    "if (live !== null) return 'running';",
    '',
    'runs/scheduler.spec.ts',
  ),
  // Warehouse
  mutant(
    'removals of before are let into a warehouse whose mode has changed',
    'warehouse/late-writes.ts',
    "await writer.beginRemoval({ role: 'removal', epoch }, NO_PIPELINE);",
    '',
    LATE_WRITES,
  ),
  mutant(
    'erasures of before are let into a warehouse whose mode has changed',
    'warehouse/late-writes.ts',
    "await writer.beginErasure({ role: 'erasure', epoch }, NOBODY);",
    '',
    LATE_WRITES,
  ),
  mutant(
    'a warehouse that cannot be reached keeps its mode',
    'warehouse/late-writes.ts',
    'if (!(error instanceof WarehouseFault) && !(error instanceof SealBroken)) throw error;',
    'throw error;',
    LATE_WRITES,
  ),
];
