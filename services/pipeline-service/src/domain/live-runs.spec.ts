import type { Instant, PipelineId, RunId, WorkspaceId } from '@penstock/contracts';
import { type RunControl, type RunControlCommand, runControlDecider } from './run-control.decide';

const OF = { id: 'pipeline1' as PipelineId, workspace: 'workspace1' as WorkspaceId };
const NOW = '2026-03-01T09:30:00.000Z' as Instant;
const [EARLIER, LATER] = ['2026-01-01T00:00:00.000001Z', '2026-02-01T00:00:00.000000Z'];

/** The state after commands, none of which is refused. */
const after = (...commands: readonly RunControlCommand[]): RunControl =>
  commands.reduce<RunControl>(
    (state, command) =>
      runControlDecider.decide(command, state).reduce(runControlDecider.evolve, state),
    null,
  );

const request = (run: string): RunControlCommand => ({
  type: 'RequestRun',
  of: OF,
  request: {
    ...{ run: run as RunId, trigger: 'API', pipelineVersion: 1, incremental: true },
    ...{ cursor: null, requestedAt: NOW, actor: 'key1', slot: null },
  },
});

const succeeded = (run: string, cursor: string): RunControlCommand => ({
  type: 'EndRun',
  end: { run: run as RunId, status: 'Succeeded', cursor, error: '', endedAt: NOW },
});

const CLEAR: RunControlCommand = { type: 'ClearCursor' };

it('a run whose cursor was cleared during it leaves none behind, and the next one does', () => {
  const cleared = [request('run1'), CLEAR, succeeded('run1', LATER)];
  expect(after(...cleared)).toMatchObject({ cursor: null, live: null });
  expect(after(...cleared, request('run2'), succeeded('run2', EARLIER))).toMatchObject({
    cursor: EARLIER,
  });
});

it('a cursor is cleared once, with or without a run', () => {
  const moved = [request('run1'), succeeded('run1', LATER)];
  expect(after(...moved)).toMatchObject({ cursor: LATER });
  expect(after(...moved, CLEAR)).toMatchObject({ cursor: null });
  expect(runControlDecider.decide(CLEAR, after(...moved, CLEAR))).toEqual([]);
  expect(runControlDecider.decide(CLEAR, after(request('run1'), CLEAR))).toEqual([]);
  expect(runControlDecider.decide(CLEAR, null)).toEqual([]);
});

it('the end of another run than the live one changes nothing', () => {
  const state = after(request('run1'), succeeded('run1', EARLIER), request('run2'));
  expect(runControlDecider.decide(succeeded('run1', LATER), state)).toEqual([]);
  expect(runControlDecider.decide(succeeded('run2', LATER), state)).toHaveLength(1);
});
