import { SnowflakeSession } from '@penstock/databases';
import { snowflakeOfSpecs, SnowflakeStage, LOCAL_SOCKETS } from '../stage.fixture';
import { Batch } from './batch';
import { connectNodes } from './connect-nodes';
import { Stages, STAGES } from './stage-tables';

jest.setTimeout(300_000);

const server = snowflakeOfSpecs();
let stage: SnowflakeStage;
let session: SnowflakeSession;

beforeAll(async () => {
  stage = await SnowflakeStage.open(server());
  const call = { sockets: LOCAL_SOCKETS, signal: AbortSignal.timeout(300_000) };
  session = await SnowflakeSession.open(stage.target, call);
  await new Stages().provide(session);
});
afterAll(async () => {
  await session.close();
  await stage.close();
});

type Pair = readonly [number, number];

/** @returns how many rounds it took, and the groups of the nodes */
const connect = async (pairs: readonly Pair[]) => {
  const values = pairs.map(([one, other]) => `(${String(one)}, ${String(other)})`).join(', ');
  await session.rows(`INSERT OVERWRITE INTO ${STAGES.edges} SELECT * FROM VALUES ${values}`);
  const batch = new Batch((sql) => session.rows(sql), stage.place, {
    ...{ identifiers: [], columns: [] },
  });
  const rounds = await connectNodes(batch);
  const rows = await session.rows(`SELECT NODE, LABEL FROM ${STAGES.labels} ORDER BY NODE`);
  return { rounds, labels: new Map(rows.map(([node, label]) => [Number(node), Number(label)])) };
};

/** Nodes in an order, each joined with the next one. */
const way = (nodes: readonly number[]): readonly Pair[] =>
  nodes.slice(1).map((node, index) => {
    const before = nodes[index] ?? 0;
    return before < node ? [before, node] : [node, before];
  });

const SIZE = 512;
const SORTED = Array.from({ length: SIZE }, (_, index) => index + 1);

it.each([
  ['as they come', SORTED],
  ['from both ends', SORTED.map((n) => (n % 2 === 0 ? SIZE + 1 - n / 2 : (n + 1) / 2))],
  ['shuffled', SORTED.map((n) => ((n * 77) % SIZE) + 1)],
])('connects a long way %s in few rounds', async (_, nodes) => {
  const { rounds, labels } = await connect(way(nodes));
  expect(new Set(labels.values())).toEqual(new Set([1]));
  expect(labels.size).toBe(SIZE);
  expect(rounds).toBeLessThan(2 * Math.log2(SIZE));
});

it('needs one round where the smallest node is in the middle, and keeps groups apart', async () => {
  const star = Array.from({ length: 50 }, (_, index): Pair => [1, index + 2]);
  const whole = Array.from({ length: 50 }, (_, index): Pair => [-7, index + 100]);
  const { rounds, labels } = await connect([...star, ...whole]);
  expect(rounds).toBe(1);
  expect(labels.get(51)).toBe(1);
  expect(labels.get(149)).toBe(-7);
  expect(new Set(labels.values())).toEqual(new Set([-7, 1]));
});
