import { type AlertFact, type AlertState, Refusal, type RequestContext } from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { checkVersion } from '../command-handling/check-version';
import { load, type Loaded } from '../command-handling/decide-on';
import { type Alert, alertDecider, alertStream } from '../domain/alert.decide';

/**
 * Loads an alert of the workspace and checks the version that the caller expects.
 *
 * @throws Refusal AlertNotExist, Conflict
 */
export const existingAlert = async (
  reading: Pick<Reading<EntityManager>, 'read'>,
  id: string,
  context: Pick<RequestContext, 'workspace' | 'expectedVersion'>,
): Promise<Loaded<Alert, AlertFact> & { readonly alert: AlertState }> => {
  const own = await load(reading, alertDecider, alertStream(id));
  if (own.state === null || own.state.deleted || own.state.workspace !== context.workspace)
    throw new Refusal('AlertNotExist');
  checkVersion(context, own.version);
  return { ...own, alert: own.state };
};
