import type { SettingsCheck } from '../connector/connector';
import { objectOf, stringOf } from '../users/documented';
import { getFrom } from '../users/reading-vendor';
import { mailchimpTarget } from './mailchimp-target';

/**
 * Asks for the audience: it is not found where the key is of another account.
 *
 * Source: Mailchimp Developer, "Get list info", version 3.0, read in November 2026.
 */
export const askMailchimp: SettingsCheck = (settings, _, context) =>
  getFrom(mailchimpTarget(settings), '?fields=id', context, (json) =>
    stringOf(objectOf(json).get('id')),
  );
