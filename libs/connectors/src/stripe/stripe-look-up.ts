import type { FoundUser, UserLookUp } from '../connector/user-destination';
import { stringOf } from '../users/documented';
import { readCustomers } from './stripe-customers';

const MAX_CUSTOMERS = '100';

/** Looks customers up by their email: unlike a search, the list has what was just written. Case matters. */
export const stripeLookUp: UserLookUp = {
  maxValues: 1,
  properties: () => Promise.resolve({ kind: 'answered', value: ['email'] }),
  find: async (_, [email], settings, context) => {
    const found: FoundUser[] = [];
    if (typeof email !== 'string' || email === '') return { kind: 'answered', value: found };
    for (let after: string | undefined = ''; after !== undefined;) {
      const parameters = {
        email,
        limit: MAX_CUSTOMERS,
        ...(after !== '' && { starting_after: after }),
      };
      const page = await readCustomers(parameters, settings, context);
      if (page.kind !== 'answered') return page;
      const ids = page.value.customers.map((customer) => stringOf(customer.get('id')));
      found.push(...ids.map((id) => ({ id, value: email })));
      after = page.value.hasMore ? ids.at(-1) : undefined;
    }
    return { kind: 'answered', value: found };
  },
};
