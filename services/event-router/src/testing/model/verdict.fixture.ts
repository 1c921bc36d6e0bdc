import type { PipelineId } from '@penstock/contracts';
import { attemptFaults } from './attempts.fixture';
import { countsByPipeline, ExpectedCounts } from './counts.fixture';
import { deliveryName, type Ended, endingFaults, endingsOf, rowFaults } from './endings.fixture';
import { type Gap, gapsOf, isIn, isReport } from './gaps.fixture';
import type { Stranger } from './gateway.fixture';
import { type Judged, judge, wayOf } from './judged.fixture';
import { deadLettersOf, redriveFaults } from './redrives.fixture';
import { replayFaults } from './replay-faults.fixture';
import type { Stored } from './storage.fixture';
import { timesFaults } from './times.fixture';
import type { World } from './world.fixture';

/** Reported errors that indicate a bug, as opposed to an injected fault. */
const BUG =
  /TypeError|RangeError|ReferenceError|does not follow|has lost commits|names no such|never was/;

/** Checks the endings and counts of all events for one pipeline. */
class PipelineVerdict {
  readonly faults: string[] = [];
  private readonly expected = new ExpectedCounts();

  constructor(
    private readonly world: World,
    private readonly pipeline: PipelineId,
    private readonly endings: ReadonlyMap<string, Ended>,
    private readonly gaps: readonly Gap[],
    /** Deliveries that may have been sent; this class adds to it. */
    private readonly matched: Set<string>,
  ) {}

  take(event: Judged): void {
    const way = wayOf(this.world.configuration, event, this.pipeline);
    if (way === 'none') return;
    if (event.isUnread || this.gaps.some((gap) => isIn(gap, event))) {
      if (way === 'matched') this.matched.add(deliveryName(event, this.pipeline));
    } else if (event.repeats === 'same') this.expected.add(['Duplicate']);
    else if (event.repeats === 'other') this.expected.add(['Duplicate DifferentBody']);
    else if (event.suppressed === 'yes') this.expected.add(['Filtered Suppressed']);
    else if (way === 'matched') this.takeMatched(event);
    else this.expected.add(event.suppressed === 'no' ? [way] : [way, 'Filtered Suppressed']);
  }

  end(counts: ReadonlyMap<string, number> | undefined): string[] {
    return [...this.faults, ...this.expected.faults(this.pipeline, counts ?? new Map())];
  }

  /**
   * A matched event without an outcome: its user was suppressed when it was routed, or retention removed it after it
   * was counted and left to its key, and it is counted as expired without an outcome.
   */
  private takeUnnamed(event: Judged, name: string): void {
    const isForgotten = event.offset < this.world.log.begins[event.partition]!;
    const names = [
      ...(isForgotten ? ['Parked Expired'] : []),
      ...(event.suppressed === 'no' ? [] : ['Filtered Suppressed']),
    ];
    if (names.length === 0) this.faults.push(`${name} (${event.messageId}) has not ended`);
    else this.matched.add(name);
    this.expected.add(names.length === 0 ? ['Open'] : names);
  }

  private takeMatched(event: Judged): void {
    const name = deliveryName(event, this.pipeline);
    const ended = this.endings.get(name);
    if (ended === undefined) return this.takeUnnamed(event, name);
    this.matched.add(name);
    this.expected.add([`${ended.state} ${ended.code}`.trim()]);
    this.faults.push(...endingFaults(this.world, event, this.pipeline, ended));
  }
}

const pipelineFaults = (
  world: World,
  stored: Stored,
  judged: readonly Judged[],
  endings: ReadonlyMap<string, Ended>,
  matched: Set<string>,
): string[] => {
  const { configuration, log } = world;
  const counts = countsByPipeline(stored);
  const gaps = gapsOf(stored, log);
  return configuration.pipelines.flatMap((pipeline) => {
    const { connection } = configuration.pipeline(pipeline);
    const own = gaps.filter(({ lane }) => lane === connection);
    const verdict = new PipelineVerdict(world, pipeline, endings, own, matched);
    for (const event of judged) verdict.take(event);
    return verdict.end(counts.get(pipeline));
  });
};

const nameOf = ({ partition, offset }: Pick<Stranger, 'partition' | 'offset'>): string =>
  `${partition}/${offset}`;

/** Checks that exactly the invalid records are stored as unreadable; those that no lane needed may be missing. */
const unreadableFaults = ({ gateway, log }: World, stored: Stored): string[] => {
  const unread = gapsOf(stored, log).filter(({ lane }) => lane === undefined);
  const read = gateway.strangers.filter((each) => !unread.some((gap) => isIn(gap, each)));
  const optional = read.filter(({ namesSource }) => namesSource).map(nameOf);
  const expected = new Map(read.map((each) => [nameOf(each), each.value ?? '']));
  const faults: string[] = [];
  for (const record of stored.unreadable.filter((each) => !isReport(each))) {
    const name = nameOf(record);
    if (expected.get(name) !== record.value) faults.push(`${name} is kept as unreadable`);
    expected.delete(name);
  }
  for (const name of optional) expected.delete(name);
  return [...faults, ...[...expected.keys()].map((name) => `${name} is not kept as unreadable`)];
};

const leaks = ({ routers, stopped }: World): string[] =>
  [...routers, ...stopped].flatMap(({ engine, clock }) =>
    engine.budget.used === 0 || clock.isKilled ? [] : [`${engine.budget.used} bytes are in use`],
  );

/** An error and its causes. */
const chainOf = (error: unknown): readonly unknown[] =>
  error instanceof Error && error.cause !== undefined ? [error, ...chainOf(error.cause)] : [error];

const bugs = ({ errors }: World): string[] =>
  [...new Set(errors.flatMap(chainOf).map(String))].filter((error) => BUG.test(error));

/** The faults of a scenario; empty when there are none. */
export const verdict = async (world: World): Promise<string[]> => {
  const rest = await world.unfinished();
  if (rest !== '') return [`not finished: ${rest}`, ...world.imbalances, ...bugs(world)];
  const stored = await world.storage.stored();
  const judged = judge(world, stored);
  const faults: string[] = [];
  const endings = endingsOf(stored, faults);
  const matched = new Set<string>();
  const deadFrom = world.traits.redrives ? deadLettersOf(stored) : new Map<string, number>();
  const events = new Map(judged.map((event) => [nameOf(event), event]));
  faults.push(...pipelineFaults(world, stored, judged, endings, matched));
  for (const name of endings.keys()) if (!matched.has(name)) faults.push(`${name} has ended`);
  return [
    ...faults,
    ...rowFaults(stored, endings, events),
    ...timesFaults(stored),
    ...attemptFaults(world, judged, endings, matched, deadFrom),
    ...redriveFaults(stored, await world.redrives.all()),
    ...(await replayFaults(world, judged)),
    ...unreadableFaults(world, stored),
    ...leaks(world),
    ...world.imbalances,
    ...bugs(world),
  ];
};
