import type { Settings } from '../connector/connector';
import type { CallContext } from '../connector/call-context';
import type { OutgoingUser, UserBatch, UserDestination } from '../connector/user-destination';
import type { Answer } from '../connector/user-source';
import { type Json, type JsonObject, type Schema, writeJson } from '@penstock/schema';
import { jsonMembers } from '../requests/json-members';
import { JSON_CONTENT } from '../requests/vendor-destination';
import { sendUsers } from '../users/send-users';
import { hubspotAccount } from './hubspot-account';
import { hubspotErrorText } from './hubspot-error';
import { hubspotLookUp } from './hubspot-look-up';
import { hubspotOutcomes } from './hubspot-outcomes';
import { hubspotProperties } from './hubspot-properties';
import { writtenContact } from './hubspot-values';

/** Contacts of one request. */
const MAX_CONTACTS = 100;

/**
 * Writes contacts of HubSpot, version 3 of the API: a request creates contacts or changes some. HubSpot takes no
 * idempotency keys; of two contacts with the same email the second one is refused. Sources: see `hubspotUserSource`.
 */
export const hubspotUserDestination: UserDestination = {
  findsRepetitions: false,
  limits: () => ({ maxUsers: MAX_CONTACTS, concurrency: 4, ratePerSecond: 8, burst: 8 }),
  lookUp: hubspotLookUp,
  schema: (settings, context) => writable(settings, context),
  upsert: ({ users, schema }, settings, context) => {
    const taken = alike(users.slice(0, MAX_CONTACTS));
    const { contacts, authorization, secrets } = hubspotAccount(settings);
    const isNew = taken[0]?.id === null;
    return sendUsers(
      {
        draft: {
          method: 'POST',
          url: `${contacts}/batch/${isNew ? 'create' : 'update'}`,
          headers: [JSON_CONTENT, authorization],
          body: bodyOf({ users: taken, schema }),
        },
        users: taken,
        ...{ secrets, errorText: hubspotErrorText },
        read: (answer, general) => hubspotOutcomes(answer, general, taken, secrets),
      },
      context,
    );
  },
};

const writable = async (settings: Settings, context: CallContext): Promise<Answer<Schema>> => {
  const answer = await hubspotProperties(settings, context);
  if (answer.kind !== 'answered') return answer;
  const properties = answer.value
    .filter(({ canBeWritten }) => canBeWritten)
    .map(({ property }) => ({ ...property, readOptional: false }));
  return { kind: 'answered', value: { kind: 'object', properties } };
};

/** Those from the front that are all created, or all changed; a contact is changed once in a request. */
const alike = (users: readonly OutgoingUser[]): OutgoingUser[] => {
  const isNew = users[0]?.id === null;
  const ids = new Set<string>();
  const end = users.findIndex(({ id }) => {
    if ((id === null) !== isNew || (id !== null && ids.has(id))) return true;
    if (id !== null) ids.add(id);
    return false;
  });
  return users.slice(0, end === -1 ? users.length : end);
};

/** The trace id makes HubSpot tell which of several contacts it refuses. */
const bodyOf = ({ users, schema }: UserBatch): string => {
  const inputs = users.map(({ id, values, idempotencyKey }): Json =>
    jsonMembers({
      id: id ?? undefined,
      objectWriteTraceId: idempotencyKey,
      properties: writtenContact(values, schema),
    }),
  );
  const body: JsonObject = jsonMembers({ inputs });
  return writeJson(body);
};
