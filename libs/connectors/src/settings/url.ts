import { type Form, text } from '@penstock/settings';

const MAX_URL_LENGTH = 2_048;

/** An absolute http or https URL without a user, 1 to 2,048 characters. */
export const webUrl: Form = text({
  maxLength: MAX_URL_LENGTH,
  problem: (given) => {
    if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(given) || !URL.canParse(given))
      return 'must be an http or https URL';
    const { username, password } = new URL(given);
    return username === '' && password === '' ? undefined : 'must not name a user';
  },
});

/** A URL as a request has it: normalised, without a fragment. */
export const requestUrl = (url: string): string => {
  const parsed = new URL(url);
  parsed.hash = '';
  return parsed.href;
};
