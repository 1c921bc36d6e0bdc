import type {
  ConnectionId,
  LiveDropped,
  LiveEvent,
  LiveOutcome,
  LiveRouting,
  PipelineId,
  WorkspaceId,
} from '@penstock/contracts';
import fc from 'fast-check';
import type { Caller } from '../auth/caller';
import { LiveListener } from './live-listener';
import { LiveListeners } from './live-listeners';
import { LiveSample } from './live-sample';
import { isWatchedEvent, isWatchedOther, type Watch } from './watch';

const WORKSPACE = 'workspace0000001' as WorkspaceId;
const SOURCES = ['source0000000001', 'source0000000002'] as ConnectionId[];
const DESTINATIONS = ['destination00001', 'destination00002'] as ConnectionId[];
const PIPELINES = ['pipeline00000001', 'pipeline00000002'] as PipelineId[];
const TIME = '2026-03-01T09:30:00.000Z';
const NAMES = ['A', 'B'];

const WATCHES: readonly Watch[] = [
  { connection: null, pipeline: null, only: null },
  { connection: null, pipeline: null, only: 'A' },
  { connection: SOURCES[0]!, pipeline: null, only: null },
  { connection: DESTINATIONS[0]!, pipeline: null, only: 'B' },
  { connection: null, pipeline: PIPELINES[1]!, only: null },
].flatMap(({ only, ...watched }) =>
  [true, false].map((withValues) => ({
    ...watched,
    workspace: WORKSPACE,
    isOfSource: watched.connection === SOURCES[0],
    filter: only ?? '',
    matches: only === null ? null : (event) => event['event'] === only,
    withValues,
  })),
);

type Sampled = { readonly kind: LiveSample['record']['kind'] } & {
  readonly source: number;
  readonly name: number;
  /** Of an outcome: how many events before. */
  readonly back: number;
  readonly pipeline: number;
};

const sampled: fc.Arbitrary<Sampled> = fc.record({
  kind: fc.constantFrom('event', 'event', 'outcome', 'outcome', 'dropped'),
  source: fc.nat(1),
  name: fc.nat(1),
  back: fc.nat(6),
  pipeline: fc.nat(1),
});

const step = fc.oneof(
  { weight: 3, arbitrary: fc.array(sampled, { minLength: 1, maxLength: 8 }) },
  { weight: 1, arbitrary: fc.record({ watch: fc.nat(WATCHES.length - 1), back: fc.nat(12) }) },
);

const routing = (at: number): LiveRouting => ({
  pipeline: PIPELINES[at]!,
  version: 1,
  connection: DESTINATIONS[at]!,
  state: 'Open',
  code: '',
});

/** Samples of which each outcome is about one of the events before, or of an event that nobody knows. */
class Topic {
  readonly samples: LiveSample[] = [];
  private events: LiveEvent[] = [];

  add({ kind, source, name, back, pipeline }: Sampled): LiveSample {
    const offset = this.samples.length;
    const of = { workspace: WORKSPACE, source: SOURCES[source]! };
    const sample =
      kind === 'event'
        ? this.event(offset, of, NAMES[name]!)
        : LiveSample.ofOther(
            offset,
            kind === 'dropped' ? { kind, ...of, count: 1 } : this.outcome(back, pipeline),
          );
    this.samples.push(sample);
    return sample;
  }

  private event(offset: number, of: Pick<LiveDropped, 'workspace' | 'source'>, name: string) {
    const event: LiveEvent = {
      ...{ kind: 'event', ...of, event: `0/${String(offset)}`, receipt: 'New' },
      ...{ pipelines: [routing(0), routing(1)], sealed: '' },
    };
    this.events.push(event);
    const times = { receivedAt: TIME, sentAt: TIME, originalTimestamp: TIME, timestamp: TIME };
    const text = JSON.stringify({
      ...{ connectionId: of.source, anonymousId: 'Ada', event: name, messageId: 'm' },
      ...{ properties: {}, ...times, traits: {}, type: 'track' },
    });
    return LiveSample.ofEvent(offset, event, text);
  }

  private outcome(back: number, pipeline: number): LiveOutcome {
    const about = this.events.at(-1 - back);
    return {
      ...{ kind: 'outcome', workspace: WORKSPACE, source: about?.source ?? SOURCES[0]! },
      ...{ event: about?.event ?? '9/9', pipeline: PIPELINES[pipeline]!, version: 1 },
      ...{ connection: DESTINATIONS[pipeline]!, state: 'Delivered', code: '', attempts: 1 },
      ...{ status: 200, at: TIME as LiveOutcome['at'] },
    };
  }
}

/** A client, and what it has to be shown: decided for it alone, sample by sample. */
class Client {
  readonly written: string[] = [];
  readonly listener: LiveListener;
  readonly expected: string[] = [];
  private readonly shown = new Set<string>();

  constructor(private readonly watch: Watch) {
    this.listener = new LiveListener(watch, {
      writableLength: 0,
      write: (text) => this.written.push(text.toString()),
      end: () => undefined,
      destroy: () => undefined,
    });
  }

  expect(sample: LiveSample): void {
    const { record } = sample;
    if (
      record.kind === 'event'
        ? !isWatchedEvent(this.watch, sample)
        : !isWatchedOther(this.watch, sample)
    )
      return;
    if (record.kind === 'outcome' && !this.shown.has(record.event)) return;
    if (record.kind === 'event') this.shown.add(record.event);
    this.expected.push(sample.frame(this.watch.withValues));
  }

  get got(): string {
    return this.written.join('').replace(/: heartbeat\n(id: \d+\n)?\n/g, '');
  }
}

it('each client is shown what it would be shown alone, whenever it has come and whoever watches the same', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const listeners = new LiveListeners(500);
      const topic = new Topic();
      const clients: Client[] = [];
      for (const each of steps)
        if (Array.isArray(each)) {
          const samples = each.map((one) => topic.add(one));
          for (const audience of listeners.of(WORKSPACE)) audience.take(samples);
          for (const client of clients) for (const sample of samples) client.expect(sample);
        } else {
          // It has seen what was before some of the last samples, and is shown those first.
          const client = new Client(WATCHES[each.watch]!);
          listeners.add({} as Caller, client.listener);
          for (const sample of topic.samples.slice(Math.max(0, topic.samples.length - each.back))) {
            client.listener.recall(sample, true);
            client.expect(sample);
          }
          client.listener.begin(topic.samples.length);
          clients.push(client);
        }
      for (const client of clients) expect(client.got).toBe(client.expected.join(''));
    }),
    { numRuns: 300 },
  );
});
