import type { NewApiKey } from '@penstock/contracts';
import type { Decision, Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { appendTo, load } from '../command-handling/decide-on';
import { organizationDecider } from '../domain/organization.decide';

/** The operator's key is added regardless of the limit of keys. */
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** Decides to add a key that the operator is given outside the API. @returns also the name of the organization. */
export const addOperatorKey = async (
  reading: Reading<EntityManager>,
  stream: string,
  key: NewApiKey,
): Promise<Decision<EntityManager> & { readonly organization: string }> => {
  const own = await load(reading, organizationDecider, stream);
  const command = { type: 'CreateApiKey', key, maxKeys: NO_LIMIT } as const;
  return {
    streams: [appendTo(own, organizationDecider.decide(command, own.state))],
    reply: {},
    organization: own.state?.name ?? '',
  };
};
