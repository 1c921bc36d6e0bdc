import { readObjects, readOptionalObject, readOptionalText } from '@penstock/settings';
import { type ErrorText, joinedText } from '../answers/error-text';

/** Where in the body of a request everything stands that is said of a profile. */
const ATTRIBUTES = '/data/attributes/';

/**
 * Every error has a title and a detail, and may say which attribute it is about.
 *
 * Source: Klaviyo Developers, "Rate limits, status codes, and errors", revision 2026-07-15.
 */
export const klaviyoErrorText: ErrorText = (answer) => {
  const errors = readObjects(answer, 'errors').flatMap((error) => {
    const place = readOptionalText(readOptionalObject(error, 'source') ?? new Map(), 'pointer');
    const attribute = place?.startsWith(ATTRIBUTES) === true ? place.slice(ATTRIBUTES.length) : '';
    const [title, detail] = ['title', 'detail'].map((name) => readOptionalText(error, name));
    return joinedText(title, attribute, detail) ?? [];
  });
  return joinedText(errors.join('; '));
};
