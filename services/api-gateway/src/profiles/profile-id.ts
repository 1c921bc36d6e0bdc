import { Refusal } from '@penstock/contracts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads the id of a profile from a path. @throws Refusal ProfileNotExist for a text that is no UUID. */
export const profileId = (text: string): string => {
  if (!UUID.test(text)) throw new Refusal('ProfileNotExist');
  return text.toLowerCase();
};
