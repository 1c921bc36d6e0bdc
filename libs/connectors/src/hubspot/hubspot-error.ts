import { readOptionalText } from '@penstock/settings';
import { type ErrorText, joinedText } from '../answers/error-text';

/**
 * What an answer says that is an error, and what an error says that is one of several in an answer.
 *
 * Source: HubSpot's "Error handling", read in November 2026.
 */
export const hubspotErrorText: ErrorText = (answer) =>
  joinedText(readOptionalText(answer, 'category'), readOptionalText(answer, 'message'));
