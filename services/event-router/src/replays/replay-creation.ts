import {
  type ConnectionId,
  type PipelineId,
  type EventPipelineState,
  isSending,
  Refusal,
  type ReplayWanted,
  type RoutingReplica,
  TOPIC,
  type WorkspaceId,
} from '@penstock/contracts';
import { type LogRecord, LogUnavailable } from '@penstock/messaging';
import { unavailable } from '@penstock/platform';
import { readIncoming } from '../routing/incoming';
import type { Routes } from '../routing/routes';
import type { ReplayRequest, WindowPart } from './replay-job';
import { type WindowContext, windowOf } from './replay-window';
import { RepeatedIds } from './repeated-ids';

export interface CreationContext extends WindowContext {
  readonly replica: RoutingReplica;
  readonly routes: Pick<Routes, 'versions'>;
  /** Resolves when this process has applied what the log held at the call. */
  readonly caughtUp: () => Promise<void>;
}

/** A replay that may be created. */
export interface PlannedReplay {
  readonly request: ReplayRequest;
  readonly parts: readonly WindowPart[];
}

const SLICE_BYTES = 1024 * 1024;
/** Limits of a count: bytes of the log, and time. */
const MAX_COUNTED_BYTES = 32 * 1024 * 1024;
const MAX_COUNTING_MS = 2_000;

const orUnavailable = (error: unknown): never => {
  throw error instanceof LogUnavailable ? unavailable('the log cannot be read') : error;
};

interface EventCount {
  readonly count: number;
  /** Whether all of the window was read. */
  readonly isComplete: boolean;
}

const eventsIn = (
  records: readonly LogRecord[],
  sources: ReadonlySet<ConnectionId>,
  ids: RepeatedIds,
): number => {
  let count = 0;
  for (const record of records) {
    const incoming = readIncoming(record);
    if (incoming.kind !== 'event' || !sources.has(incoming.head.source)) continue;
    if (!ids.isRepeated(incoming.hash, record.offset)) count += 1;
  }
  return count;
};

/** Plans replays: decides what is read, and through which version. */
export class ReplayCreation {
  constructor(private readonly context: CreationContext) {}

  /** @throws Refusal PipelineNotExist, PipelineDisabled, PipelineVersionNotExist, EventsExpired, ServiceUnavailable */
  async plan(
    workspace: WorkspaceId,
    pipeline: PipelineId,
    wanted: ReplayWanted,
  ): Promise<PlannedReplay> {
    const { replica, caughtUp } = this.context;
    await caughtUp().catch(() => {
      throw unavailable('the configuration cannot be read');
    });
    const newest = replica.pipeline(pipeline);
    if (newest?.workspace !== workspace || !isSending(newest))
      throw new Refusal('PipelineNotExist');
    if (wanted.mode === 'deliver' && !newest.enabled) throw new Refusal('PipelineDisabled');
    const version = wanted.draft === null ? await this.versionOf(newest, wanted.version) : null;
    const parts = await windowOf(this.context, wanted).catch(orUnavailable);
    const sources = replica.sourcesOf(newest.connection);
    const ordering = replica.connection(newest.connection)?.delivery?.ordering ?? 'key';
    const { connection, name: pipelineName } = newest;
    return { request: { ...wanted, version, sources, ordering, connection, pipelineName }, parts };
  }

  /** Counts the events of the sources without repetitions, up to a limit of bytes and time. */
  async count({ request, parts }: PlannedReplay): Promise<EventCount> {
    const { log, wallMs } = this.context;
    const sources = new Set(request.sources);
    const endMs = wallMs() + MAX_COUNTING_MS;
    let [count, bytes] = [0, 0];
    for (const [partition, { start, end }] of parts.entries()) {
      const ids = new RepeatedIds(start);
      for (let next = start; next < end;) {
        if (bytes > MAX_COUNTED_BYTES || wallMs() > endMs) return { count, isComplete: false };
        const reading = log.read(TOPIC.events, partition, next, SLICE_BYTES);
        const slice = await reading.catch(orUnavailable);
        const records = slice.records.filter(({ offset }) => offset < end);
        bytes += records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
        count += eventsIn(records, sources, ids);
        next = slice.next > next ? slice.next : end;
      }
    }
    return { count, isComplete: true };
  }

  /** @throws Refusal PipelineVersionNotExist */
  private async versionOf(
    { id, version }: EventPipelineState,
    wanted: number | null,
  ): Promise<number> {
    if (wanted === null || wanted === version) return version;
    const named = { pipeline: id, version: wanted };
    if (wanted < version) {
      const versions = await this.context.routes.versions([named]).catch(() => {
        throw unavailable('earlier versions of the pipeline cannot be read');
      });
      if (versions.get(named) !== undefined) return wanted;
    }
    const message = `must be a version of the pipeline: 1 to ${version}`;
    throw new Refusal('PipelineVersionNotExist', { details: [{ path: '/version', message }] });
  }
}
