import { type ConfigurationReplica, type PipelineId } from '@penstock/contracts';
import { ConservationCheck } from './conservation-check';

const PIPELINES = Array.from({ length: 45 }, (_, index) => `p${String(index).padStart(2, '0')}`);

/** The part of a replica that is asked, with the pipelines on two connections of two workspaces. */
const replicaOf = (pipelines: readonly string[]): ConfigurationReplica =>
  ({
    firstWorkspace: () => ({ organization: 'o' }),
    workspacesOf: () => [{ id: 'w0' }, { id: 'w1' }],
    connectionsOf: (workspace: string) => [{ id: `${workspace}c` }],
    pipelinesOn: (connection: string) =>
      pipelines.filter((_, index) => connection === `w${index % 2}c`),
  }) as unknown as ConfigurationReplica;

const checking = (wrong: Set<string>, pipelines = PIPELINES) => {
  const checked: (readonly string[])[] = [];
  const errors: unknown[] = [];
  const check = new ConservationCheck({
    store: {
      unbalanced: (asked) => {
        checked.push(asked.map(({ pipeline, workspace }) => `${workspace} ${pipeline}`));
        const names = asked.map(({ pipeline }) => pipeline);
        return Promise.resolve(names.filter((name) => wrong.has(name)));
      },
    },
    replica: replicaOf(pipelines),
    onError: (error) => errors.push(error),
  });
  return { check, checked, errors };
};

it('checks twenty pipelines at once, all of them in turn', async () => {
  const { check, checked } = checking(new Set());
  for (let times = 0; times < 4; times += 1) await check.look();
  expect(checked.map(({ length }) => length)).toEqual([20, 20, 5, 20]);
  expect(new Set(checked.slice(0, 3).flat()).size).toBe(45);
  expect(checked[3]).toEqual(checked[0]);
  expect(checked[0]?.slice(0, 2)).toEqual(['w0 p00', 'w1 p01']);
});

it('counts the pipelines for which it did not hold when they were last checked, and reports each once', async () => {
  const wrong = new Set(['p03' as PipelineId, 'p30' as PipelineId]);
  const { check, errors } = checking(wrong);
  await check.look();
  expect(check.unbalanced).toBe(1);
  for (let times = 0; times < 5; times += 1) await check.look();
  expect(check.unbalanced).toBe(2);
  expect(errors).toMatchObject([{ where: { pipeline: 'p03' } }, { where: { pipeline: 'p30' } }]);
  wrong.clear();
  for (let times = 0; times < 3; times += 1) await check.look();
  expect(check.unbalanced).toBe(0);
});

it('asks nothing while there is no pipeline', async () => {
  const { check, checked } = checking(new Set(), []);
  await check.look();
  expect(checked).toEqual([]);
});
