import { readAnswer } from '../answers/read-answer';
import type { Outcome } from '../connector/event-destination';
import type { IncomingResponse } from '../connector/guarded-http';
import type { UserDestination, UserOutcome } from '../connector/user-destination';
import { sendUsers } from '../users/send-users';
import { stripeAccount } from './stripe-account';
import { stripeErrorText } from './stripe-error';
import { stripeLookUp } from './stripe-look-up';
import { STRIPE_CUSTOMER_TO_WRITE } from './stripe-schemas';
import { writtenCustomer } from './stripe-values';

/** A request with the same key is under way. */
const IN_USE = new Set([409]);

/**
 * Writes customers of Stripe, one a request. A repeated request gets the answer to the first one, for a day at least,
 * also when that was an error. Sources: see `stripeUserSource`.
 */
export const stripeUserDestination: UserDestination = {
  findsRepetitions: true,
  limits: () => ({ maxUsers: 1, concurrency: 10, ratePerSecond: 20, burst: 20 }),
  lookUp: stripeLookUp,
  schema: () => Promise.resolve({ kind: 'answered', value: STRIPE_CUSTOMER_TO_WRITE }),
  upsert: ({ users, schema }, settings, context) => {
    const [user] = users;
    if (user === undefined) throw new TypeError('there is no user to write');
    const { customers, headers, secrets } = stripeAccount(settings);
    return sendUsers(
      {
        draft: {
          method: 'POST',
          url: user.id === null ? customers : `${customers}/${encodeURIComponent(user.id)}`,
          headers: [...headers, FORM_CONTENT],
          body: writtenCustomer(user.values, schema),
        },
        users: [user],
        ...{ secrets, errorText: stripeErrorText },
        passing: IN_USE,
        read: outcomesOf,
      },
      context,
    );
  },
};

const FORM_CONTENT = { name: 'Content-Type', value: 'application/x-www-form-urlencoded' };

const outcomesOf = (
  { body }: IncomingResponse,
  general: Outcome,
): readonly UserOutcome[] | undefined => {
  if (general.kind === 'rejected') return [general];
  const id = general.kind === 'delivered' ? readAnswer(body).get('id') : undefined;
  return typeof id === 'string' ? [{ kind: 'written', id }] : undefined;
};
