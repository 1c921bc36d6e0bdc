import {
  type EndedErasure,
  type ErasureFact,
  type ErasureState,
  MAX_LIVE_ERASURES,
  Refusal,
  type RequestedErasure,
  unreachable,
  type WorkspaceId,
} from '@penstock/contracts';
import type { Decider } from '@penstock/event-sourcing';

/** The published state, which is all that decisions depend on. `null`: nobody was to be erased yet. */
export type Erasures = ErasureState | null;

export type ErasureCommand =
  | { readonly type: 'Request'; readonly id: WorkspaceId; readonly requested: RequestedErasure }
  | { readonly type: 'End'; readonly end: EndedErasure };

const evolve = (state: Erasures, fact: ErasureFact): Erasures => {
  const { version = 0, live = [] } = state ?? {};
  switch (fact.type) {
    case 'ErasureRequested': {
      const { id, ...requested } = fact.data;
      return { kind: 'erasure', id, version: version + 1, live: [...live, requested] };
    }
    case 'ErasureEnded':
      return (
        state && {
          ...state,
          version: version + 1,
          live: live.filter(({ erasure }) => erasure !== fact.data.erasure),
        }
      );
    default:
      return unreachable(fact);
  }
};

/** @returns the erasure of the profile that has not ended; undefined: there is none. */
export const liveErasureOf = (state: Erasures, profile: string): RequestedErasure | undefined =>
  state?.live.find((each) => each.profile === profile);

const request = (
  id: WorkspaceId,
  state: Erasures,
  requested: RequestedErasure,
): readonly ErasureFact[] => {
  if (liveErasureOf(state, requested.profile) !== undefined) return [];
  if ((state?.live.length ?? 0) >= MAX_LIVE_ERASURES)
    throw new Refusal('OperationAlreadyExecuting', {
      message: `workspace has ${String(MAX_LIVE_ERASURES)} erasures that have not ended`,
    });
  return [{ type: 'ErasureRequested', data: { id, ...requested } }];
};

const decide = (command: ErasureCommand, state: Erasures): ErasureFact[] => {
  switch (command.type) {
    case 'Request':
      return [...request(command.id, state, command.requested)];
    case 'End': {
      const isLive = state?.live.some(({ erasure }) => erasure === command.end.erasure) === true;
      return isLive ? [{ type: 'ErasureEnded', data: command.end }] : [];
    }
    default:
      return unreachable(command);
  }
};

/** The rules of the erasures of people of one workspace. */
export const erasureDecider: Decider<Erasures, ErasureCommand, ErasureFact> = {
  initial: null,
  decide,
  evolve,
};

export const erasureStream = (workspace: string): string => `erasure-${workspace}`;
