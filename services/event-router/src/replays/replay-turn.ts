import { isSending, type RoutingReplica, TOPIC } from '@penstock/contracts';
import type { LogSlice } from '@penstock/messaging';
import { makeWay } from './make-way';
import { readIncoming } from '../routing/incoming';
import type { Routes } from '../routing/routes';
import { unlessAborted } from '../time/aborted';
import { isOrganizationDisabled, ORGANIZATION_DISABLED, PIPELINE_DELETED } from './cancelled-with';
import type { LeasedReplay, NewDifference, ReplayEnding } from './replay-job';
import type { ReplayLeases } from './replay-leases';
import type { RecentContext, RecentIds } from './recent-ids';
import type { RepeatedIds } from './repeated-ids';
import { type ReplayedPipeline, replayedPipeline } from './replayed-pipeline';
import { Shadow, type ShadowContext } from './shadow';
import { SliceResults } from './slice-results';

export interface TurnContext extends ShadowContext, RecentContext {
  readonly replica: RoutingReplica;
  readonly routes: Routes;
  readonly leases: ReplayLeases;
}

/** Bytes of a slice, after which a checkpoint is written. */
const SLICE_BYTES = 1024 * 1024;
/** Bytes of a slice whose events pass through a function, which takes much longer. */
const FUNCTION_SLICE_BYTES = 256 * 1024;
/** Part of the newest rate in the one that is shown. */
const NEWEST_PART = 0.3;

const SUCCEEDED: ReplayEnding = { state: 'Succeeded', reason: '' };
const DELETED: ReplayEnding = { state: 'Cancelled', reason: PIPELINE_DELETED };
const DISABLED: ReplayEnding = { state: 'Cancelled', reason: ORGANIZATION_DISABLED };
const NO_VERSION: ReplayEnding = {
  state: 'Failed',
  reason: 'the version of the pipeline is not known any more',
};
const OTHER_LOG: ReplayEnding = {
  state: 'Failed',
  reason:
    'the log ends before the window of the replay: it was replaced, or restored from a backup',
};

/** Reads a leased replay slice by slice, one partition after the other, and writes a checkpoint after each. */
export class ReplayTurn {
  private replay: LeasedReplay;
  private rate = 0;

  private checkpointMs: number;

  /** @param recent of the replay, as earlier turns in this process have left it. */
  constructor(
    private readonly context: TurnContext,
    replay: LeasedReplay,
    private readonly recent: RecentIds,
  ) {
    this.replay = replay;
    this.checkpointMs = context.clock.nowMs();
  }

  /**
   * Works until the replay has ended, the lease is lost, or the time is over.
   *
   * @throws Error when the log, the configuration or the database is unavailable: lease the replay again later; the
   *   signal's reason.
   */
  async run(maxMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.context;
    const endMs = clock.nowMs() + maxMs;
    const replayed = await this.prepare();
    if ('state' in replayed) {
      await this.end(replayed);
      return;
    }
    const shadow = new Shadow(this.context, replayed);
    try {
      while (clock.nowMs() < endMs) {
        if (!(await this.step(shadow, replayed, signal))) return;
        signal.throwIfAborted();
      }
    } finally {
      shadow.stop();
    }
  }

  /** @returns the ending of a replay that has nothing to replay any more. */
  private async prepare(): Promise<ReplayedPipeline | ReplayEnding> {
    const { workspace, pipeline, request } = this.replay;
    const { replica, routes } = this.context;
    const newest = replica.pipeline(pipeline);
    if (newest === undefined || !isSending(newest)) return DELETED;
    if (isOrganizationDisabled(replica, workspace)) return DISABLED;
    const { version } = request;
    if (version === null) return replayedPipeline(this.replay, newest, undefined);
    const wanted = { pipeline, version };
    const found = (await routes.versions([wanted])).get(wanted);
    return found === undefined ? NO_VERSION : replayedPipeline(this.replay, newest, found);
  }

  /** Reads one slice. @returns whether the replay goes on. */
  private async step(
    shadow: Shadow,
    replayed: ReplayedPipeline,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { positions, parts, pipeline, workspace } = this.replay;
    const { replica } = this.context;
    if (replica.pipeline(pipeline) === undefined) return this.end(DELETED);
    if (isOrganizationDisabled(replica, workspace)) return this.end(DISABLED);
    const partition = positions.findIndex((at, index) => at < (parts[index]?.end ?? at));
    const end = parts[partition]?.end;
    const position = positions[partition];
    if (end === undefined || position === undefined) return this.end(SUCCEEDED);
    const { start } = parts[partition] ?? { start: position };
    const repeated = await this.recent.before(
      replayed.sources,
      { partition, position, start },
      signal,
    );
    const bytes = replayed.compiled.function === null ? SLICE_BYTES : FUNCTION_SLICE_BYTES;
    const { log } = this.context;
    const slice = await unlessAborted(signal, log.read(TOPIC.events, partition, position, bytes));
    if (slice.next <= position) return this.end(OTHER_LOG);
    const results = await this.passed(shadow, replayed, { slice, position, end, repeated }, signal);
    const next = Math.min(slice.next, end);
    repeated.next = next;
    return this.checkpoint(results, partition, next);
  }

  private async passed(
    shadow: Shadow,
    replayed: ReplayedPipeline,
    { slice, position, end, repeated }: Read,
    signal: AbortSignal,
  ): Promise<SliceResults> {
    const results = new SliceResults(this.replay.counts, this.replay.kept);
    results.counts.expired += Math.max(0, Math.min(slice.begin, end) - position);
    const { clock, liveLagMs } = this.context;
    const startMs = clock.nowMs();
    const incoming = slice.records.filter(({ offset }) => offset < end).map(readIncoming);
    await makeWay(clock, liveLagMs(), clock.nowMs() - startMs);
    const events = await shadow.pass(incoming, repeated, results.counts, signal);
    for (const each of events) results.add(each, replayed.compiled);
    return results;
  }

  private async checkpoint(
    { counts, kept, differences }: SliceResults,
    partition: number,
    next: number,
  ): Promise<boolean> {
    const { leases, clock } = this.context;
    const tookMs = clock.nowMs() - this.checkpointMs;
    this.checkpointMs += tookMs;
    const read = next - (this.replay.positions[partition] ?? next);
    const newest = (1_000 * read) / Math.max(1, tookMs);
    this.rate = this.rate === 0 ? newest : (1 - NEWEST_PART) * this.rate + NEWEST_PART * newest;
    const positions = this.replay.positions.with(partition, next);
    const { rate } = this;
    const isWritten = await leases.checkpoint(this.replay, {
      positions,
      counts,
      kept,
      rate,
      differences: differences.filter((each) => !this.isSuppressed(each)),
    });
    this.replay = { ...this.replay, positions, counts, kept, revision: this.replay.revision + 1 };
    return isWritten;
  }

  /** A function may have run for so long that a user was suppressed, and what is kept of users erased, meanwhile. */
  private isSuppressed({ userId, previousId }: NewDifference): boolean {
    return this.context.suppressions.includes(this.replay.workspace, userId, previousId);
  }

  private async end(ending: ReplayEnding): Promise<false> {
    const { positions, counts, kept } = this.replay;
    const { leases } = this.context;
    await leases.checkpoint(this.replay, {
      positions,
      counts,
      kept,
      rate: 0,
      differences: [],
      ending,
    });
    return false;
  }
}

interface Read {
  readonly slice: LogSlice;
  readonly position: number;
  readonly end: number;
  readonly repeated: RepeatedIds;
}
