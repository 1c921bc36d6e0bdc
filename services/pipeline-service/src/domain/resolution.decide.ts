import {
  type EndedResolution,
  type ResolutionFact,
  type ResolutionState,
  type StartedResolution,
  unreachable,
  Refusal,
  type WaitingResolution,
  type WorkspaceId,
} from '@penstock/contracts';
import type { Decider } from '@penstock/event-sourcing';

/** The published state, which is all that decisions depend on. `null`: nobody has asked for a resolution yet. */
export type Resolution = ResolutionState | null;

type Starting = Pick<StartedResolution, 'resolution' | 'startedAt' | 'actor'>;

export type ResolutionCommand =
  /** Something has changed what profiles depend on: it is kept until `StartWaiting`. */
  | { readonly type: 'Trigger'; readonly id: WorkspaceId; readonly wanted: WaitingResolution }
  /** A caller wants one now. What waits is a part of it. */
  | ({ readonly type: 'Start'; readonly id: WorkspaceId; readonly full: boolean } & Starting)
  /** Nothing is in the way of what waits any more. */
  | ({ readonly type: 'StartWaiting' } & Starting)
  | { readonly type: 'Cancel' }
  /** Something that does not last is in the way of the live one: it is cancelled, and begins again after it. */
  | { readonly type: 'Suspend' }
  | { readonly type: 'End'; readonly end: EndedResolution };

/** One instead of two: that which is full has its say. */
const joined = (present: WaitingResolution | null, wanted: WaitingResolution): WaitingResolution =>
  present === null || (wanted.full && !present.full) ? wanted : present;

const waits = ({ trigger, full }: WaitingResolution): Pick<ResolutionState, 'waiting'> => ({
  waiting: { trigger, full },
});

const started = (
  { isFullOwed: _, ...state }: ResolutionState,
  { id: _id, ...data }: StartedResolution & { readonly id: WorkspaceId },
): ResolutionState => ({ ...state, live: { ...data, cancelled: false }, waiting: null });

const ended = (state: ResolutionState, { status }: EndedResolution): ResolutionState => ({
  ...state,
  live: null,
  ...(status !== 'Succeeded' && state.live?.full === true && { isFullOwed: true }),
});

const changed = (state: ResolutionState, fact: ResolutionFact): ResolutionState => {
  switch (fact.type) {
    case 'ResolutionTriggered':
      return { ...state, ...waits(fact.data) };
    case 'ResolutionStarted':
      return started(state, fact.data);
    case 'ResolutionCancelRequested':
      return { ...state, live: state.live && { ...state.live, cancelled: true } };
    case 'ResolutionEnded':
      return ended(state, fact.data);
    default:
      return unreachable(fact);
  }
};

const firstOf = (id: WorkspaceId): ResolutionState => ({
  kind: 'resolution',
  id,
  version: 0,
  live: null,
  waiting: null,
});

const evolve = (state: Resolution, fact: ResolutionFact): Resolution => {
  const begins = fact.type === 'ResolutionTriggered' || fact.type === 'ResolutionStarted';
  const before = state ?? (begins ? firstOf(fact.data.id) : null);
  return before === null ? null : { ...changed(before, fact), version: before.version + 1 };
};

const trigger = (
  id: WorkspaceId,
  waiting: WaitingResolution | null,
  wanted: WaitingResolution,
): ResolutionFact[] => {
  const all = joined(waiting, wanted);
  return all === waiting
    ? []
    : [{ type: 'ResolutionTriggered', data: { id, trigger: all.trigger, full: all.full } }];
};

const start = (
  id: WorkspaceId,
  state: Resolution,
  wanted: WaitingResolution,
  { resolution, startedAt, actor }: Starting,
): ResolutionFact => {
  const full = wanted.full || state?.waiting?.full === true || state?.isFullOwed === true;
  const data = { id, resolution, trigger: wanted.trigger, full, startedAt, actor };
  return { type: 'ResolutionStarted', data };
};

const cancel = (state: Resolution): ResolutionFact[] => {
  if (!state?.live || state.live.cancelled) return [];
  const { resolution } = state.live;
  return [{ type: 'ResolutionCancelRequested', data: { resolution } }];
};

const suspend = (state: Resolution): ResolutionFact[] => {
  const cancelled = cancel(state);
  if (!state?.live || cancelled.length === 0) return [];
  return [...trigger(state.id, state.waiting, state.live), ...cancelled];
};

const decide = (command: ResolutionCommand, state: Resolution): ResolutionFact[] => {
  switch (command.type) {
    case 'Trigger':
      return trigger(command.id, state?.waiting ?? null, command.wanted);
    case 'Start':
      if (state?.live) throw new Refusal('OperationAlreadyExecuting');
      return [start(command.id, state, { trigger: 'API', full: command.full }, command)];
    case 'StartWaiting':
      return state?.waiting && !state.live ? [start(state.id, state, state.waiting, command)] : [];
    case 'Cancel':
      return cancel(state);
    case 'Suspend':
      return suspend(state);
    case 'End': {
      const { resolution, status, error, endedAt } = command.end;
      if (state?.live?.resolution !== resolution) return [];
      return [{ type: 'ResolutionEnded', data: { resolution, status, error, endedAt } }];
    }
    default:
      return unreachable(command);
  }
};

/** The rules of the resolutions of one workspace: at most one at a time, and what waits is neither doubled nor lost. */
export const resolutionDecider: Decider<Resolution, ResolutionCommand, ResolutionFact> = {
  initial: null,
  decide,
  evolve,
};

/** @param workspace its identities are resolved together. */
export const resolutionStream = (workspace: string): string => `resolution-${workspace}`;
