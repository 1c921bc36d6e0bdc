import { withoutSecrets } from './without-secrets';

const MAX_CHARACTERS = 200;

/**
 * The beginning of an answer's body for people: at most 200 characters, white space as single spaces, control
 * characters and every one of the secrets taken out, however it is escaped there.
 */
export const excerpt = (body: string, secrets: readonly string[]): string => {
  const clean = withoutSecrets(body, secrets).replace(/\s+/gu, ' ').replace(/\p{C}/gu, '').trim();
  return Array.from(clean.slice(0, MAX_CHARACTERS * 2))
    .slice(0, MAX_CHARACTERS)
    .join('');
};
