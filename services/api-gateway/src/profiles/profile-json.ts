import type { ProfileView } from '@penstock/contracts';
import { type Json, parseJson } from '@penstock/schema';
import { jsonObject } from '../http/json-object';

/** A profile as the API answers it. */
export const profileJson = ({
  attributes,
  mergedFrom,
  ...profile
}: ProfileView & { readonly mergedFrom?: string }): Json =>
  jsonObject({ ...profile, mergedFrom, attributes: parseJson(attributes) });
