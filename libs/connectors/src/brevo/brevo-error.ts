import { readOptionalText } from '@penstock/settings';
import { type ErrorText, joinedText } from '../answers/error-text';

/** Source: Brevo Developers, "Error codes", version 3, read in November 2026. */
export const brevoErrorText: ErrorText = (answer) =>
  joinedText(readOptionalText(answer, 'code'), readOptionalText(answer, 'message'));
