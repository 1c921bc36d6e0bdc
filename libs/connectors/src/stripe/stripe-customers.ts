import type { JsonObject } from '@penstock/schema';
import type { CallContext } from '../connector/call-context';
import type { Settings } from '../connector/connector';
import type { Answer } from '../connector/user-source';
import { integerOf, listOf, objectOf, stringOf } from '../users/documented';
import { readJson, Undocumented } from '../users/read-json';
import { stripeAccount } from './stripe-account';
import { stripeErrorText } from './stripe-error';

/** Some customers of an account. */
export interface CustomerPage {
  /** Each with an id and the second in which it was created. */
  readonly customers: readonly JsonObject[];
  readonly hasMore: boolean;
}

/** A page of the list of customers. */
export const readCustomers = (
  parameters: Readonly<Record<string, string>>,
  settings: Settings,
  context: CallContext,
): Promise<Answer<CustomerPage>> => {
  const { customers, headers, secrets } = stripeAccount(settings);
  const request = {
    method: 'GET' as const,
    url: `${customers}?${new URLSearchParams(parameters).toString()}`,
    headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
    ...{ secrets, errorText: stripeErrorText },
  };
  return readJson(request, context, (json) => {
    const answer = objectOf(json);
    const hasMore = answer.get('has_more');
    if (typeof hasMore !== 'boolean') throw new Undocumented('has_more is missing');
    const found = listOf(answer.get('data')).map(objectOf);
    for (const customer of found) {
      stringOf(customer.get('id'));
      integerOf(customer.get('created'));
    }
    return { customers: found, hasMore };
  });
};
