import {
  type NewSuppression,
  type SuppressionFact,
  type SuppressionState,
  unreachable,
} from '@penstock/contracts';
import type { Decider } from '@penstock/event-sourcing';

/** The published state, which is all that decisions depend on. `null`: the user was never suppressed. */
export type Suppression = SuppressionState | null;

export type SuppressionCommand =
  | { readonly type: 'SuppressUser'; readonly user: NewSuppression }
  | { readonly type: 'UnsuppressUser' };

const evolve = (state: Suppression, fact: SuppressionFact): Suppression => {
  const version = (state?.version ?? 0) + 1;
  switch (fact.type) {
    case 'UserSuppressed':
      return { ...fact.data, kind: 'suppression', version, suppressed: true };
    case 'UserUnsuppressed':
      return state && { ...state, version, suppressed: false };
    default:
      return unreachable(fact);
  }
};

const decide = (command: SuppressionCommand, state: Suppression): SuppressionFact[] => {
  const isSuppressed = state?.suppressed ?? false;
  switch (command.type) {
    case 'SuppressUser':
      return isSuppressed ? [] : [{ type: 'UserSuppressed', data: command.user }];
    case 'UnsuppressUser':
      return isSuppressed ? [{ type: 'UserUnsuppressed', data: {} }] : [];
    default:
      return unreachable(command);
  }
};

/** The rules of the suppression of a user. */
export const suppressionDecider: Decider<Suppression, SuppressionCommand, SuppressionFact> = {
  initial: null,
  decide,
  evolve,
};

export const suppressionStream = (id: string): string => `suppression-${id}`;
