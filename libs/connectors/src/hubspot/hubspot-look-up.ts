import type { UserLookUp } from '../connector/user-destination';
import { readContacts } from './hubspot-contacts';
import { CONTACT_ID, hubspotProperties } from './hubspot-properties';

const MAX_VALUES = 100;

/** Case does not matter in the values of unique properties of HubSpot. */
const folded = (text: string): string => text.toLowerCase();

/** Looks contacts up by their ids, emails and other unique texts: unlike a search, it finds what was just written. */
export const hubspotLookUp: UserLookUp = {
  maxValues: MAX_VALUES,
  properties: async (settings, context) => {
    const answer = await hubspotProperties(settings, context);
    if (answer.kind !== 'answered') return answer;
    const unique = answer.value.filter(
      ({ isUnique, property }) => isUnique && property.type.kind === 'string',
    );
    return { kind: 'answered', value: unique.map(({ property }) => property.name) };
  },
  find: async (property, values, settings, context) => {
    const isId = property === CONTACT_ID;
    const wanted = new Map(
      values
        .filter((value) => typeof value === 'string')
        .filter((value) => (isId ? /^\d{1,20}$/.test(value) : value.trim() !== ''))
        .map((value) => [folded(value), value]),
    );
    if (wanted.size === 0) return { kind: 'answered', value: [] };
    const answer = await readContacts(
      { ids: [...wanted.values()], names: [property], ...(!isId && { idProperty: property }) },
      settings,
      context,
    );
    if (answer.kind !== 'answered') return answer;
    const found = answer.value.flatMap((contact) => {
      const id = contact.get('id');
      const properties = contact.get('properties');
      const text = properties instanceof Map ? (properties.get(property) as unknown) : undefined;
      const value = typeof text === 'string' ? wanted.get(folded(text)) : undefined;
      return typeof id === 'string' && value !== undefined ? [{ id, value }] : [];
    });
    return { kind: 'answered', value: found };
  },
};
