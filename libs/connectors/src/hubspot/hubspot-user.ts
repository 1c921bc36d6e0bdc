import { canonicalDateTime, type JsonObject, type Schema } from '@penstock/schema';
import type { ApplicationUser } from '../connector/user-source';
import { objectOf, stringOf } from '../users/documented';
import { typeFault } from '../users/type-fault';
import { readContact } from './hubspot-values';

/** A contact as HubSpot lists it. */
export const hubspotUser = (contact: JsonObject, schema: Schema): ApplicationUser => {
  const { values, faults } = readContact(objectOf(contact.get('properties')), schema);
  return {
    id: stringOf(contact.get('id')),
    updatedAt: canonicalDateTime(stringOf(contact.get('updatedAt'))) ?? null,
    values,
    ...typeFault(faults),
  };
};
