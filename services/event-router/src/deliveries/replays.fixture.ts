import type { Instant, JobId, PipelineId, ReplayView, ReplayWanted } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { Installation, type TestEvent } from '../testing/installation.fixture';
import { pipelineState } from '../testing/pipelines.fixture';
import { Receiver } from '../testing/receiver.fixture';
import { until } from '../testing/until.fixture';
import { Questions } from './questions.fixture';

/** The pipeline whose events are replayed. */
export const PIPELINE = pipelineState().id;

/** The first page of a list. */
export const PAGE = { limit: 100, cursor: '' };

/** Events of seven users. */
export const numbered = (count: number, event = 'E'): TestEvent[] =>
  Array.from({ length: count }, (_, number) => ({
    user: `user ${String(number % 7)}`,
    messageId: `message ${event} ${String(number)}`,
    event,
  }));

/** An installation with a receiver of its deliveries, and what clients ask about replays of {@link PIPELINE}. */
export class ReplayStand {
  private constructor(
    readonly receiver: Receiver,
    readonly installation: Installation,
    readonly questions: Questions,
    private readonly mode: ReplayWanted['mode'],
  ) {}

  /** @param mode of the replays, unless another one is wanted. */
  static async open(mode: ReplayWanted['mode']): Promise<ReplayStand> {
    const receiver = await Receiver.open();
    const installation = await Installation.open();
    return new ReplayStand(receiver, installation, new Questions(installation.log), mode);
  }

  /** A request for a replay of all events through the present version. */
  all(wanted: Partial<ReplayWanted> = {}): ReplayWanted {
    return {
      mode: this.mode,
      from: '2020-01-01T00:00:00.000Z' as Instant,
      to: '2100-01-01T00:00:00.000Z' as Instant,
      filter: null,
      version: null,
      draft: null,
      ...wanted,
    };
  }

  async create(wanted: Partial<ReplayWanted> = {}, command: string | null = null): Promise<JobId> {
    const input = { id: newId() as JobId, command, pipeline: PIPELINE, wanted: this.all(wanted) };
    return (await this.questions.ask('CreateReplay', input)).id;
  }

  get(id: string, pipeline: PipelineId = PIPELINE): Promise<ReplayView> {
    return this.questions.ask('GetReplay', { pipeline, id });
  }

  /** Waits until it has ended. */
  async ended(id: string): Promise<ReplayView> {
    await until(async () => (await this.get(id)).endedAt !== null);
    return this.get(id);
  }

  async close(): Promise<void> {
    await this.questions.close();
    await this.installation.close();
    await this.receiver.close();
  }
}
