import type { SettingsCheck } from '../connector/connector';
import { listOf, objectOf } from '../users/documented';
import { getFrom } from '../users/reading-vendor';
import { klaviyoAccess } from './klaviyo-access';

const ONE = `/api/profiles?${new URLSearchParams({ 'fields[profile]': 'updated', 'page[size]': '1' }).toString()}`;

/**
 * Asks for a profile. The key of a destination may be one that sends events and reads no profiles, which is answered 403.
 *
 * Source: Klaviyo Developers, "Get Profiles" and "Authenticate API requests", revision 2026-07-15.
 */
export const askKlaviyo: SettingsCheck = async (settings, role, context) => {
  const answer = await getFrom(klaviyoAccess(settings), ONE, context, (json) =>
    listOf(objectOf(json).get('data')),
  );
  const isKnown = answer.kind === 'unavailable' && answer.status === 403;
  return isKnown && role === 'Destination' ? { kind: 'answered', value: [] } : answer;
};
