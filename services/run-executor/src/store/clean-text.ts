/** NUL, and unpaired surrogates, which PostgreSQL does not accept. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;

/** Text that PostgreSQL accepts. */
export const cleanText = (text: string): string => text.replace(UNSTORABLE, '\uFFFD');
