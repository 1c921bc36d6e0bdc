import {
  type Actor,
  type Instant,
  type LiveRun,
  type Microtime,
  type PipelineId,
  Refusal,
  type RequestedRun,
  type RunCancel,
  type RunControlFact,
  type RunControlState,
  type RunEnd,
  type RunId,
  type Schedule,
  type SlotSkipReason,
  unreachable,
  type WorkspaceId,
} from '@penstock/contracts';
import type { Decider } from '@penstock/event-sourcing';

/** The published state, which is all that decisions depend on. `null`: it was neither scheduled nor run yet. */
export type RunControl = RunControlState | null;

interface Subject {
  readonly id: PipelineId;
  readonly workspace: WorkspaceId;
}

export type RunControlCommand =
  | {
      readonly type: 'SetSchedule';
      readonly of: Subject;
      readonly schedule: Schedule | null;
      readonly now: Instant;
    }
  | { readonly type: 'RequestRun'; readonly of: Subject; readonly request: RequestedRun }
  | { readonly type: 'SkipSlot'; readonly slot: Instant; readonly reason: SlotSkipReason }
  | { readonly type: 'CancelRun'; readonly run: RunId; readonly cancel: RunCancel }
  | { readonly type: 'NoteWait'; readonly run: RunId; readonly since: Instant | null }
  | { readonly type: 'EndRun'; readonly end: RunEnd }
  | { readonly type: 'ClearCursor' }
  /** The pipeline was deleted. */
  | { readonly type: 'Close'; readonly now: Instant; readonly actor: Actor };

const EMPTY = {
  kind: 'runs',
  version: 0,
  schedule: null,
  scheduledAt: null,
  live: null,
  cursor: null,
  lastSlot: null,
  lastSkipped: null,
  last: null,
} as const;

/** The later of two; cursors never move back. */
const later = (one: Microtime | null, other: Microtime | null): Microtime | null => {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
};

const requested = ({
  data,
}: Extract<RunControlFact, { type: 'RunRequested' }>): Partial<RunControlState> => {
  const { id: _, workspace: _workspace, ...request } = data;
  const live: LiveRun = { ...request, cancelled: null };
  return { live, ...(request.slot !== null && { lastSlot: request.slot }) };
};

const ended = (
  state: RunControlState,
  { data: { status, cursor, endedAt, error } }: Extract<RunControlFact, { type: 'RunEnded' }>,
): Partial<RunControlState> => ({
  live: null,
  last: { status, at: endedAt, message: error },
  ...(status === 'Succeeded' &&
    state.live?.trigger !== 'Replay' &&
    state.live?.movesCursor !== false && { cursor: later(state.cursor, cursor) }),
});

const waiting = (live: LiveRun, since: Instant | null): LiveRun => {
  const { waitingSince: _, ...rest } = live;
  return since === null ? rest : { ...rest, waitingSince: since };
};

const changed = (state: RunControlState, fact: RunControlFact): Partial<RunControlState> => {
  switch (fact.type) {
    case 'ScheduleSet':
      return { schedule: fact.data.schedule, scheduledAt: fact.data.setAt };
    case 'RunRequested':
      return requested(fact);
    case 'SlotSkipped': {
      const { slot, reason } = fact.data;
      // The other reasons are no failure, and must not hide how the last run ended.
      const last = reason === 'mode' && ({ status: 'Skipped', at: slot, message: reason } as const);
      return { lastSlot: slot, lastSkipped: { slot, reason }, ...(last && { last }) };
    }
    case 'RunCancelRequested': {
      const { run: _, ...cancelled } = fact.data;
      return { live: state.live && { ...state.live, cancelled } };
    }
    case 'RunWaitNoted':
      return { live: state.live && waiting(state.live, fact.data.since) };
    case 'RunEnded':
      return ended(state, fact);
    case 'CursorCleared':
      return { cursor: null, live: state.live && { ...state.live, movesCursor: false } };
    default:
      return unreachable(fact);
  }
};

const evolve = (state: RunControl, fact: RunControlFact): RunControl => {
  const begins = fact.type === 'ScheduleSet' || fact.type === 'RunRequested';
  const before =
    state ?? (begins ? { ...EMPTY, id: fact.data.id, workspace: fact.data.workspace } : null);
  if (before === null) return null;
  return { ...before, ...changed(before, fact), version: before.version + 1 };
};

const isSame = (one: Schedule | null, other: Schedule | null): boolean =>
  one?.period === other?.period && one?.start === other?.start;

const cancel = (state: RunControl, by: RunCancel): RunControlFact[] =>
  !state?.live || state.live.cancelled !== null
    ? []
    : [{ type: 'RunCancelRequested', data: { run: state.live.run, ...by } }];

const setSchedule = (
  of: Subject,
  state: RunControl,
  schedule: Schedule | null,
  now: Instant,
): RunControlFact[] =>
  isSame(state?.schedule ?? null, schedule)
    ? []
    : [{ type: 'ScheduleSet', data: { ...of, schedule, setAt: now } }];

const close = (state: RunControl, now: Instant, actor: Actor): RunControlFact[] => {
  if (state === null) return [];
  const { id, workspace } = state;
  const cancelled = cancel(state, { reason: 'PipelineDeleted', actor });
  return [...cancelled, ...setSchedule({ id, workspace }, state, null, now)];
};

/** Once for each time that a run waits. */
const noteWait = (state: RunControl, run: RunId, since: Instant | null): RunControlFact[] =>
  state?.live?.run !== run || (state.live.waitingSince === undefined) === (since === null)
    ? []
    : [{ type: 'RunWaitNoted', data: { run, since } }];

/** Whether there is a cursor, or a run whose end may make one. */
const mayHaveCursor = (state: RunControl): boolean =>
  state !== null &&
  (state.cursor !== null || (state.live !== null && state.live.movesCursor !== false));

const decide = (command: RunControlCommand, state: RunControl): RunControlFact[] => {
  switch (command.type) {
    case 'SetSchedule':
      return setSchedule(command.of, state, command.schedule, command.now);
    case 'RequestRun':
      if (state?.live) throw new Refusal('PipelineAlreadyRunning');
      return [{ type: 'RunRequested', data: { ...command.of, ...command.request } }];
    case 'SkipSlot': {
      const { slot, reason } = command;
      return state === null || (state.lastSlot ?? '') >= slot
        ? []
        : [{ type: 'SlotSkipped', data: { slot, reason } }];
    }
    case 'CancelRun':
      return state?.live?.run === command.run ? cancel(state, command.cancel) : [];
    case 'NoteWait':
      return noteWait(state, command.run, command.since);
    case 'EndRun':
      return state?.live?.run === command.end.run ? [{ type: 'RunEnded', data: command.end }] : [];
    case 'ClearCursor':
      return mayHaveCursor(state) ? [{ type: 'CursorCleared', data: {} }] : [];
    case 'Close':
      return close(state, command.now, command.actor);
    default:
      return unreachable(command);
  }
};

/** The rules of the runs of one pipeline: at most one at a time, one decision for each slot, a cursor that never moves back. */
export const runControlDecider: Decider<RunControl, RunControlCommand, RunControlFact> = {
  initial: null,
  decide,
  evolve,
};

export const runControlStream = (id: string): string => `runs-${id}`;
