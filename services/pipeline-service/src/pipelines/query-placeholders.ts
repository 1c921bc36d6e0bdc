/** What a query may hold in place of a value. */
const PLACEHOLDERS: readonly string[] = ['updated_at', 'limit'];

const PLACEHOLDER = /\$\{([^}]*)(\}?)/g;

/** Characters of a placeholder that a message repeats. */
const MAX_SHOWN = 60;

/** What is wrong with the placeholders of a query, a sentence for each that there is not. */
export const placeholderProblems = (query: string): string[] => {
  const unknown = [...query.matchAll(PLACEHOLDER)]
    .filter(([, name = '', end]) => end === '' || !PLACEHOLDERS.includes(name))
    .map(([whole]) => Array.from(whole).slice(0, MAX_SHOWN).join(''));
  return [...new Set(unknown)].map(
    (whole) => `has the placeholder ${whole}: there are only \${updated_at} and \${limit}`,
  );
};
