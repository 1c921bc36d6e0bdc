import type { JsonObject, Schema } from '@penstock/schema';
import type { CallContext } from '../connector/call-context';
import type { Settings } from '../connector/connector';
import type { Answer, ApplicationUser, UserPage, UserSource } from '../connector/user-source';
import { integerOf, stringOf } from '../users/documented';
import { readFitting } from '../users/read-json';
import { typeFault } from '../users/type-fault';
import { type CustomerPage, readCustomers } from './stripe-customers';
import { STRIPE_CUSTOMER } from './stripe-schemas';
import { readCustomer } from './stripe-values';

const MAX_CUSTOMERS = 100;
/** The last customer of the page before: its id, and when it was created, in seconds since 1970. */
const CURSOR = /^(\w{1,255})\.(\d{1,12})$/;

/**
 * Customers of Stripe, the most recent first. They have no time of their last change. The rate is 80 % of the 25
 * requests a second that an endpoint takes.
 *
 * Source: Stripe's API reference "Customers", "Pagination", "Idempotent requests" and "Errors", version
 * 2025-09-30.clover, and the page "Rate limits", read in November 2026.
 */
export const stripeUserSource: UserSource = {
  readsChanges: false,
  limits: () => ({ concurrency: 1, ratePerSecond: 20, burst: 20 }),
  schema: () => Promise.resolve({ kind: 'answered', value: STRIPE_CUSTOMER }),
  read: ({ schema, cursor }, settings, context) =>
    readFitting(MAX_CUSTOMERS, async (limit) => {
      const page = await readFrom(cursor, limit, settings, context);
      return page.kind === 'answered'
        ? { kind: 'answered', value: userPage(page.value, schema) }
        : page;
    }),
};

/** A customer that was deleted may no longer be a place to go on from: its second is read again instead. */
const readFrom = async (
  cursor: string,
  limit: number,
  settings: Settings,
  context: CallContext,
): Promise<Answer<CustomerPage>> => {
  const all = { limit: String(limit) };
  if (cursor === '') return readCustomers(all, settings, context);
  const [, id = '', second = ''] = CURSOR.exec(cursor) ?? [];
  if (id === '') return { kind: 'rejected', reason: 'no such page' };
  const page = await readCustomers({ ...all, starting_after: id }, settings, context);
  return page.kind === 'rejected' && page.status === 400
    ? readCustomers({ ...all, 'created[lte]': second }, settings, context)
    : page;
};

const userPage = ({ customers, hasMore }: CustomerPage, schema: Schema): UserPage => {
  const last = customers.at(-1);
  return {
    users: customers.map((customer) => userOf(customer, schema)),
    next: hasMore && last !== undefined ? cursorBehind(last) : null,
  };
};

const cursorBehind = (customer: JsonObject): string =>
  `${stringOf(customer.get('id'))}.${String(integerOf(customer.get('created')))}`;

const userOf = (customer: JsonObject, schema: Schema): ApplicationUser => {
  const { values, faults } = readCustomer(customer, schema);
  return {
    id: stringOf(customer.get('id')),
    updatedAt: null,
    values,
    ...typeFault(faults),
  };
};
