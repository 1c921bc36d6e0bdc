import { readObjects, readOptionalText } from '@penstock/settings';
import { type ErrorText, joinedText } from '../answers/error-text';

/**
 * Fields are named where the vendor names some: the detail then says only that it does.
 *
 * Source: Mailchimp Developer, "Errors", version 3.0, read in November 2026.
 */
export const mailchimpErrorText: ErrorText = (answer) => {
  const fields = readObjects(answer, 'errors').flatMap(
    (each) => joinedText(readOptionalText(each, 'field'), readOptionalText(each, 'message')) ?? [],
  );
  const detail = fields.length > 0 ? fields.join('; ') : readOptionalText(answer, 'detail');
  return joinedText(readOptionalText(answer, 'title'), detail);
};
