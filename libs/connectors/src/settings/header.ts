import { type Form, text } from '@penstock/settings';

const MAX_NAME_LENGTH = 256;
const MAX_VALUE_LENGTH = 8_192;

/** A token of RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Printable ASCII, no space at either end. */
const VALUE = /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/;

/** @param problem what else is wrong with a name, given in lower case. */
export const headerName = (problem?: (lowerCase: string) => string | undefined): Form =>
  text({
    maxLength: MAX_NAME_LENGTH,
    problem: (name) =>
      TOKEN.test(name) ? problem?.(name.toLowerCase()) : 'must be the name of an HTTP header',
  });

/** A value that a header may carry: printable ASCII, may be empty. */
export const headerValue: Form = text({
  minLength: 0,
  maxLength: MAX_VALUE_LENGTH,
  problem: (value) => (VALUE.test(value) ? undefined : 'must be printable ASCII'),
});
