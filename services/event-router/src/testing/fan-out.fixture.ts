import { isDeepStrictEqual } from 'node:util';
import type { ConnectionId, PipelineId } from '@penstock/contracts';
import {
  destinationState,
  Installation,
  sourceState,
  type TestEvent,
} from './installation.fixture';
import { onlyEvent, pipelineState } from './pipelines.fixture';
import { Receiver } from './receiver.fixture';
import { until } from './until.fixture';

/** Number of deliveries by `State Code`. */
type Counts = Readonly<Record<string, number>>;

const SOURCES = ['source000000001', 'source000000002'] as const;
const RARE_EVERY = 10;

/**
 * An installation with two sources that are linked to several destinations, each with one pipeline. The destination
 * called `picky` has a filter that matches one event in ten.
 */
export class FanOut<Name extends string> {
  static async open<Name extends string>(names: readonly Name[]): Promise<FanOut<Name>> {
    const open = names.map(async (name) => [name, await Receiver.open()] as const);
    const receivers = Object.fromEntries(await Promise.all(open)) as Record<Name, Receiver>;
    return new FanOut(await Installation.open(), receivers, names);
  }

  private constructor(
    readonly installation: Installation,
    readonly receivers: Readonly<Record<Name, Receiver>>,
    private readonly names: readonly Name[],
  ) {}

  destination(name: Name): ConnectionId {
    return `destination-${name}` as ConnectionId;
  }

  pipeline(name: Name): PipelineId {
    return `pipeline-${name}` as PipelineId;
  }

  /** Creates the connections and the pipelines. */
  configure(settings: Partial<Record<Name, object>> = {}): Promise<void> {
    const links = this.names.map((name) => this.destination(name));
    return this.installation.configure(
      ...this.names.map((name) => this.settingsOf(name, settings[name])),
      ...this.names.map((name) =>
        pipelineState({
          id: this.pipeline(name),
          connection: this.destination(name),
          filter: name === 'picky' ? onlyEvent('Rare') : null,
        }),
      ),
      ...SOURCES.map((source) => sourceState(source as ConnectionId, links)),
    );
  }

  /** The first version of a destination, with these settings. */
  settingsOf(name: Name, settings: object = {}): ReturnType<typeof destinationState> {
    return destinationState(this.receivers[name].url, settings, this.destination(name));
  }

  /**
   * Events with numbers from `from` on, of both sources in turn.
   *
   * @param user of all events; without it they belong to seven users.
   */
  events(count: number, from = 0, user?: string): TestEvent[] {
    return Array.from({ length: count }, (_, index) => {
      const number = from + index;
      return {
        source: SOURCES[number % 2] as ConnectionId,
        user: user ?? `user${number % 7}`,
        messageId: `message-${number}`,
        event: number % RARE_EVERY === 0 ? 'Rare' : 'Usual',
      };
    });
  }

  /** Number of deliveries to the destination by `State Code`, from the counters. */
  countsOf(name: Name): Promise<Record<string, number>> {
    return this.installation.countsOf(this.pipeline(name));
  }

  /** Waits until the counters of each given destination equal `expected`; fails with the difference after a time. */
  async expectCounts(expected: Readonly<Partial<Record<Name, Counts>>>): Promise<void> {
    const names = this.names.filter((name) => expected[name] !== undefined);
    const present = async () =>
      Object.fromEntries(
        await Promise.all(names.map(async (name) => [name, await this.countsOf(name)] as const)),
      );
    await until(async () => isDeepStrictEqual(await present(), expected)).catch(() => undefined);
    expect(await present()).toEqual(expected);
  }

  async close(): Promise<void> {
    await this.installation.close();
    for (const name of this.names) await this.receivers[name].close();
  }
}
