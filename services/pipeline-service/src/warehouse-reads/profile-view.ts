import { type JsonString, type ProfileView, Refusal } from '@penstock/contracts';
import { type Schema, valueToJson, writeJson } from '@penstock/schema';
import type { StoredProfile } from '@penstock/warehouses';
import { MAX_SEALED_BYTES } from '../read-model/fitting';

/** @throws Refusal BadRequest for one that has no room in an answer. */
const checkSize = (attributes: JsonString, room: number): void => {
  if (Buffer.byteLength(JSON.stringify(attributes)) <= room) return;
  const message = 'a profile is too large for an answer: ask for fewer properties';
  throw new Refusal('BadRequest', { details: [{ path: '/properties', message }] });
};

/**
 * A profile as an answer has it.
 *
 * @param properties that were read of it.
 * @param room in bytes that the answer has for it.
 * @throws Refusal BadRequest for one that is too large.
 */
export const profileView = (
  { attributes: record, ...profile }: StoredProfile,
  properties: Schema,
  room = MAX_SEALED_BYTES,
): ProfileView => {
  const attributes = writeJson(valueToJson(properties, record));
  checkSize(attributes, room);
  return { ...profile, attributes };
};
