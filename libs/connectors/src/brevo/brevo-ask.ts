import type { SettingsCheck } from '../connector/connector';
import { objectOf, stringOf } from '../users/documented';
import { getFrom } from '../users/reading-vendor';
import { brevoAccess } from './brevo-access';

/**
 * Asks for the account, which every key may read.
 *
 * Source: Brevo Developers, "Get account details", version 3, read in November 2026.
 */
export const askBrevo: SettingsCheck = (settings, _, context) =>
  getFrom(brevoAccess(settings), '/account', context, (json) =>
    stringOf(objectOf(json).get('email')),
  );
