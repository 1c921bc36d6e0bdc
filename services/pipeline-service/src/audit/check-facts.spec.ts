import { type ConfigurationState, PUBLISHED_PIPELINE_VERSIONS } from '@penstock/contracts';
import { CHAIN_START, chainHash } from '@penstock/event-sourcing';
import { Differences } from '@penstock/platform';
import { aggregateOf } from '../domain/aggregates';
import { PIPELINE_FACTS } from '../released/pipeline.fixture';
import { WORKSPACE_FACTS } from '../released/workspace.fixture';
import { FactChecks } from './check-facts';
import type { FactInStream } from './stored-facts';

interface Released {
  readonly fact: object;
}

/** Released facts as they would be stored one after the other. */
const rows = (...released: readonly Released[]): FactInStream[] => {
  const states = new Map<string, ConfigurationState | null>();
  let hash = CHAIN_START;
  const placed = released.map(({ fact }, index) => {
    const { stream, data, type, ...rest } = fact as FactInStream & { data: object };
    const aggregate = aggregateOf(stream);
    const before = states.get(stream) ?? null;
    const state = aggregate?.evolve(before ?? aggregate.initial, { type, data } as never) ?? null;
    states.set(stream, state);
    const hashed = { ...rest, stream, type, position: index + 1, owner: 'w1' };
    hash = chainHash(hash, hashed, JSON.stringify(data));
    const effectiveTime = hashed.time;
    return { ...hashed, data: JSON.stringify(data), hash, effectiveTime, before, state };
  });
  return placed.map((row, index) => {
    const later = placed.slice(index + 1).filter(({ stream }) => stream === row.stream).length;
    return { ...row, state: row.state as ConfigurationState, later };
  });
};

const checked = (facts: readonly FactInStream[]) => {
  const differences = new Differences();
  const checks = new FactChecks(differences);
  for (const fact of facts) checks.take(fact);
  const last = facts.at(-1);
  const chains = last && [[last.owner, { position: last.position, hash: last.hash }] as const];
  checks.end(last?.position ?? 0, new Map(chains));
  return { checks, reported: differences.named.map(({ where, what }) => `${where} ${what}`) };
};

const ALL = rows(...WORKSPACE_FACTS, ...PIPELINE_FACTS);

const changed = (index: number, members: Partial<FactInStream>): FactInStream[] =>
  ALL.map((row, at) => (at === index ? { ...row, ...members } : row));

it('finds no difference in facts that follow from each other', () => {
  const { checks, reported } = checked(ALL);
  expect(reported).toEqual([]);
  expect(checks.objects).toBe(2);
});

it('knows the facts whose states the topic holds: the newest one, of a pipeline the newest versions', () => {
  const { checks } = checked(ALL);
  const newest = ALL.filter(({ position }) => checks.newest.has(position));
  const [own] = WORKSPACE_FACTS.slice(-1);
  expect(newest.filter(({ state }) => state.kind === 'workspace')).toMatchObject([
    { version: (own?.fact as { version: number }).version },
  ]);
  const versionsOf = (facts: readonly FactInStream[]): number[] =>
    facts.flatMap(({ state }) => (state.kind === 'pipeline' ? [state.version] : []));
  const versions = versionsOf(ALL);
  expect(versionsOf(newest)).toEqual(versions.slice(-PUBLISHED_PIPELINE_VERSIONS));
});

it.each<[string, FactInStream[], string[]]>([
  ['data', changed(1, { data: '{"name":"x"}' }), ['does not match its hash', 'differs in state']],
  ['another actor', changed(1, { actor: 'x' }), ['does not match its hash']],
  ['another owner', changed(1, { owner: 'w2' }), ['does not match its hash']],
  [
    'another time',
    changed(1, { time: '2999-01-01T00:00:00.000Z' }),
    ['does not match its hash', 'is not in the order of times'],
  ],
  [
    'a state',
    changed(1, { state: { ...(ALL[1]?.state as object), name: 'x' } as never }),
    ['differs in state'],
  ],
  [
    'a type that is not known',
    changed(1, { type: 'TeapotBoiled' }),
    ['does not match its hash', 'cannot be applied'],
  ],
  ['no fact before it', changed(1, { before: null }), ['is version 2 of', 'cannot be applied']],
])('finds %s', (_, facts, expected) => {
  const { reported } = checked(facts);
  for (const what of expected)
    expect(reported).toContainEqual(expect.stringMatching(`^penstock.facts position 2 ${what}`));
});

it('finds missing facts, in the middle and at the end', () => {
  expect(checked(ALL.filter((_, index) => index !== 1)).reported).toContain(
    'penstock.facts position 2 is missing',
  );
  const differences = new Differences();
  const checks = new FactChecks(differences);
  for (const fact of ALL.slice(0, -1)) checks.take(fact);
  checks.end(ALL.length, new Map());
  expect(differences.named[0]).toEqual({
    where: `penstock.facts position ${String(ALL.length)}`,
    what: 'is missing',
  });
});
