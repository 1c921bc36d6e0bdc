import {
  type AlertChange,
  type AlertFact,
  type AlertState,
  type NewAlert,
  Refusal,
  unreachable,
} from '@penstock/contracts';
import type { Decider } from '@penstock/event-sourcing';

/** The published state, which is all that decisions depend on. `null`: it was never created. */
export type Alert = AlertState | null;

export type AlertCommand =
  | { readonly type: 'CreateAlert'; readonly alert: NewAlert }
  | { readonly type: 'UpdateAlert'; readonly change: AlertChange }
  | { readonly type: 'DeleteAlert' };

const evolve = (state: Alert, fact: AlertFact): Alert => {
  if (fact.type === 'AlertCreated')
    return { ...fact.data, kind: 'alert', version: 1, deleted: false };
  if (state === null) return state;
  const version = state.version + 1;
  switch (fact.type) {
    case 'AlertUpdated':
      return { ...state, ...fact.data, version };
    case 'AlertDeleted':
      return { ...state, version, deleted: true };
    default:
      return unreachable(fact);
  }
};

const isSame = (change: AlertChange, state: AlertState): boolean =>
  change.name === state.name &&
  change.enabled === state.enabled &&
  change.connection === state.connection &&
  change.pipeline === state.pipeline &&
  change.threshold === state.threshold &&
  change.window === state.window &&
  change.webhook === state.webhook;

const decide = (command: AlertCommand, state: Alert): AlertFact[] => {
  if (command.type === 'CreateAlert')
    return state === null ? [{ type: 'AlertCreated', data: command.alert }] : [];
  if (state === null || state.deleted) throw new Refusal('AlertNotExist');
  switch (command.type) {
    case 'UpdateAlert':
      return isSame(command.change, state) ? [] : [{ type: 'AlertUpdated', data: command.change }];
    case 'DeleteAlert':
      return [{ type: 'AlertDeleted', data: {} }];
    default:
      return unreachable(command);
  }
};

/** The rules of an alert. */
export const alertDecider: Decider<Alert, AlertCommand, AlertFact> = {
  initial: null,
  decide,
  evolve,
};

export const alertStream = (id: string): string => `alert-${id}`;
