import { type JsonObject, writeJson } from '@penstock/schema';
import type { CallContext } from '../connector/call-context';
import type { Settings } from '../connector/connector';
import type { Answer } from '../connector/user-source';
import { jsonMembers } from '../requests/json-members';
import { listOf, objectOf } from '../users/documented';
import { readJson, Undocumented } from '../users/read-json';
import { hubspotAccount } from './hubspot-account';
import { hubspotErrorText } from './hubspot-error';

/** Which contacts are read, and what of each. */
export interface ContactsWanted {
  /** At most 100. */
  readonly ids: readonly string[];
  readonly names: readonly string[];
  /** The unique property that {@link ids} are values of; absent: they are ids. */
  readonly idProperty?: string;
}

/** Some are there and some are not. */
const MULTI_STATUS = new Set([207]);

/** The contacts that there are of some ids, in any order: unlike a search, as they are at the moment. */
export const readContacts = (
  { ids, names, idProperty }: ContactsWanted,
  settings: Settings,
  context: CallContext,
): Promise<Answer<readonly JsonObject[]>> => {
  const { contacts, headers, secrets } = hubspotAccount(settings);
  const body = writeJson(
    jsonMembers({
      properties: names,
      propertiesWithHistory: [],
      idProperty,
      inputs: ids.map((id) => jsonMembers({ id })),
    }),
  );
  const url = `${contacts}/batch/read`;
  const request = { method: 'POST' as const, url, headers, body, secrets };
  const errors = { alsoAnswers: MULTI_STATUS, errorText: hubspotErrorText };
  return readJson({ ...request, ...errors }, context, (json) => {
    const answer = objectOf(json);
    for (const error of listOf(answer.get('errors') ?? []))
      if (objectOf(error).get('category') !== 'OBJECT_NOT_FOUND')
        throw new Undocumented('contacts could not be read');
    return listOf(answer.get('results')).map(objectOf);
  });
};
