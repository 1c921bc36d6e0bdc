import type { RecordedFact } from '@penstock/contracts';
import { PIPELINE_FACTS } from '../released/pipeline.fixture';
import { WORKSPACE_FACTS } from '../released/workspace.fixture';
import { rebuild } from './rebuild';

const recorded = (...facts: readonly object[]) => facts as RecordedFact[];

const workspace = WORKSPACE_FACTS.map(({ fact }) => fact);
const pipeline = PIPELINE_FACTS.map(({ fact }) => fact);

const said = (...facts: readonly object[]): string[] =>
  rebuild(recorded(...facts)).differences.map(({ where, what }) => `${where} ${what}`);

it('keeps the newest state of each object, and every version of a pipeline', () => {
  const { newest, records, states, differences } = rebuild(recorded(...workspace, ...pipeline));
  expect(differences).toEqual([]);
  expect([...newest.keys()]).toEqual([workspace[0]?.stream, pipeline[0]?.stream]);
  expect([...newest.values()].map(({ kind }) => kind)).toEqual(['workspace', 'pipeline']);
  expect(records.size).toBe(1 + pipeline.length);
  expect(states.size).toBe(workspace.length + pipeline.length);
});

it('finds a version that is left out', () => {
  const [one, , three] = workspace;
  expect(said({ ...one }, { ...three })).toEqual([
    `configuration position 7 is version 3 of ${String(one?.stream)}, after version 1`,
  ]);
});

it.each([
  ['of a kind that is not known', 'WorkspaceCreated', 'teapot-1'],
  ['of an object that nobody has created', 'WorkspaceRenamed', 'workspace-1'],
])('finds a fact %s', (_, type, stream) => {
  expect(said({ ...workspace[0], version: 1, type, stream })).toEqual([
    `configuration position 5 cannot be applied: ${type} of ${stream}`,
  ]);
});
