import type {
  Instant,
  Microtime,
  PipelineId,
  RequestedRun,
  RunControlFact,
  RunId,
  WorkspaceId,
} from '@penstock/contracts';
import fc from 'fast-check';
import { type RunControl, type RunControlCommand, runControlDecider } from './run-control.decide';

const OF = { id: 'pipeline00000001' as PipelineId, workspace: 'workspace0000001' as WorkspaceId };
const NOW = '2026-03-01T09:30:00.000Z' as Instant;

const requestOf = (run: string, members: Partial<RequestedRun> = {}): RequestedRun => ({
  run: run as RunId,
  trigger: 'API',
  pipelineVersion: 1,
  incremental: false,
  cursor: null,
  requestedAt: NOW,
  actor: 'key0000000000001',
  slot: null,
  ...members,
});

const request = (run: string, members: Partial<RequestedRun> = {}): RunControlCommand => ({
  type: 'RequestRun',
  of: OF,
  request: requestOf(run, members),
});

const end = (
  run: string,
  status: 'Succeeded' | 'Failed' | 'Cancelled',
  cursor: Microtime | null,
): RunControlCommand => ({
  type: 'EndRun',
  end: { run: run as RunId, status, cursor, error: '', endedAt: NOW },
});

/** Applies commands; one that is refused changes nothing. */
const after = (...commands: readonly RunControlCommand[]): RunControl => {
  let state: RunControl = null;
  for (const command of commands)
    for (const fact of decided(command, state)) state = runControlDecider.evolve(state, fact);
  return state;
};

const decided = (command: RunControlCommand, state: RunControl): RunControlFact[] => {
  try {
    return runControlDecider.decide(command, state);
  } catch {
    return [];
  }
};

it('notes once that the live run waits, and once that it waits no more', () => {
  const note = (run: string, since: Instant | null): RunControlCommand => ({
    type: 'NoteWait',
    run: run as RunId,
    since,
  });
  const waiting = after(request('r1'), note('r1', NOW));
  expect(waiting?.live).toMatchObject({ run: 'r1', waitingSince: NOW });
  expect(decided(note('r1', NOW), waiting)).toEqual([]);
  expect(decided(note('r0', null), waiting)).toEqual([]);
  const goesOn = after(request('r1'), note('r1', NOW), note('r1', null));
  expect(goesOn?.live).not.toHaveProperty('waitingSince');
  expect(decided(note('r1', null), goesOn)).toEqual([]);
  expect(after(request('r1'), note('r1', NOW), end('r1', 'Failed', null))?.live).toBeNull();
  expect(decided(note('r1', NOW), null)).toEqual([]);
});

const CURSORS = [
  '2026-01-01T00:00:00.000001Z',
  '2026-01-01T00:00:00.000002Z',
  '2026-02-01T00:00:00.000000Z',
];
const runs = fc.constantFrom('run1', 'run2', 'run3');

const commands: fc.Arbitrary<RunControlCommand> = fc.oneof(
  fc
    .record({ run: runs, trigger: fc.constantFrom('API', 'Schedule', 'Replay') })
    .map(({ run, trigger }) => request(run, { trigger: trigger })),
  fc
    .tuple(
      runs,
      fc.constantFrom('Succeeded', 'Failed', 'Cancelled'),
      fc.option(fc.constantFrom(...CURSORS)),
    )
    .map(([run, status, cursor]) => end(run, status as 'Succeeded', cursor)),
  runs.map((run): RunControlCommand => ({
    type: 'CancelRun',
    run: run as RunId,
    cancel: { reason: 'Requested', actor: 'key1' },
  })),
  fc.constantFrom<RunControlCommand>(
    { type: 'ClearCursor' },
    { type: 'SkipSlot', slot: '2026-03-01T10:00:00.000Z' as Instant, reason: 'mode' },
    { type: 'SetSchedule', of: OF, schedule: { period: '1h', start: 3 }, now: NOW },
    { type: 'SetSchedule', of: OF, schedule: null, now: NOW },
    { type: 'Close', now: NOW, actor: 'key1' },
  ),
);

it('has at most one live run, ends each once, and never moves its cursor back but by clearing it', () => {
  fc.assert(
    fc.property(fc.array(commands, { maxLength: 40 }), (all) => {
      let state: RunControl = null;
      let live: string | null = null;
      let cursor: Microtime | null = null;
      let isCleared = false;
      for (const command of all)
        for (const fact of decided(command, state)) {
          if (fact.type === 'RunRequested') {
            expect(live).toBeNull();
            live = fact.data.run;
            isCleared = false;
          }
          if (fact.type === 'RunCancelRequested') expect(fact.data.run).toBe(live);
          if (fact.type === 'RunEnded') {
            expect(fact.data.run).toBe(live);
            const trigger = state?.live?.trigger;
            if (fact.data.status === 'Succeeded' && trigger !== 'Replay' && !isCleared)
              cursor = [cursor ?? '', fact.data.cursor ?? ''].sort().at(-1) || null;
            live = null;
          }
          if (fact.type === 'CursorCleared') [cursor, isCleared] = [null, true];
          state = runControlDecider.evolve(state, fact);
          expect(state?.live?.run ?? null).toBe(live);
          expect(state?.cursor ?? null).toBe(cursor);
        }
    }),
    { numRuns: 500 },
  );
});

it('refuses a second run while one is live', () => {
  expect(() => runControlDecider.decide(request('run2'), after(request('run1')))).toThrow(
    'pipeline is already running',
  );
});

it('decides a slot once: it is skipped or run, and neither again', () => {
  const slot = '2026-03-01T10:00:00.000Z' as Instant;
  const skip: RunControlCommand = { type: 'SkipSlot', slot, reason: 'disabled' };
  const scheduled: RunControlCommand = {
    type: 'SetSchedule',
    of: OF,
    schedule: { period: '1h', start: 0 },
    now: NOW,
  };
  expect(decided(skip, after(scheduled, skip))).toEqual([]);
  expect(decided(skip, after(scheduled, request('run1', { slot })))).toEqual([]);
  expect(after(scheduled, skip)).toMatchObject({
    lastSlot: slot,
    last: null,
  });
});

it('shows a slot that the mode has skipped, and none of the other skips, in place of the last run', () => {
  const skip = (reason: 'mode' | 'running'): RunControlCommand => ({
    type: 'SkipSlot',
    slot: '2026-03-01T10:00:00.000Z' as Instant,
    reason,
  });
  const failed = [request('run1'), end('run1', 'Failed', null)];
  expect(after(...failed, skip('running'))?.last?.status).toBe('Failed');
  expect(after(...failed, skip('mode'))?.last).toMatchObject({
    status: 'Skipped',
    message: 'mode',
  });
});

it('ends the schedule of a deleted pipeline and requests the cancel of its run', () => {
  const scheduled: RunControlCommand = {
    type: 'SetSchedule',
    of: OF,
    schedule: { period: '1h', start: 0 },
    now: NOW,
  };
  const close = { type: 'Close', now: NOW, actor: 'key1' } as const;
  expect(after(scheduled, request('run1'), close)).toMatchObject({
    schedule: null,
    live: { run: 'run1', cancelled: { reason: 'PipelineDeleted', actor: 'key1' } },
  });
  expect(decided(close, null)).toEqual([]);
});

it('keeps the cursor of a failed run, and of a replay, where it was', () => {
  const succeeded = [request('run1'), end('run1', 'Succeeded', CURSORS[0] ?? null)];
  expect(after(...succeeded)?.cursor).toBe(CURSORS[0]);
  expect(
    after(...succeeded, request('run2'), end('run2', 'Failed', CURSORS[2] ?? null))?.cursor,
  ).toBe(CURSORS[0]);
  const replay = [
    request('run2', { trigger: 'Replay' }),
    end('run2', 'Succeeded', CURSORS[2] ?? null),
  ];
  expect(after(...succeeded, ...replay)?.cursor).toBe(CURSORS[0]);
});
