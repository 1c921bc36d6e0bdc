import type { PipelineId, RunId, WorkspaceId } from '../ids';
import { readRunCommand, type RunCommand, writeRunCommand } from './run-command';

const COMMAND: RunCommand = {
  type: 'StartRun',
  workspace: 'workspace0000001' as WorkspaceId,
  pipeline: 'pipeline00000001' as PipelineId,
  run: 'run0000000000001' as RunId,
  position: 7,
};

it('reads what it has written', () => {
  expect(readRunCommand(writeRunCommand(COMMAND))).toEqual(COMMAND);
});

it.each([
  null,
  '',
  'null',
  '[]',
  JSON.stringify(COMMAND),
  ...[{ form: 2 }, { type: 'Other' }, { workspace: '' }, { pipeline: 1 }, { run: null }].map(
    (members) => JSON.stringify({ form: 1, ...COMMAND, ...members }),
  ),
  JSON.stringify({ form: 1, ...COMMAND, position: '7' }),
])('passes over what is no command: %s', (value) => {
  expect(readRunCommand(value)).toBeUndefined();
});
