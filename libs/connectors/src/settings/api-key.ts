import { type Form, text, type TextRules } from '@penstock/settings';

/** A secret that a header may carry: printable ASCII without spaces. */
export const apiKey = ({ problem, ...rules }: Omit<TextRules, 'secret'>): Form =>
  text({
    ...rules,
    secret: true,
    problem: (key) =>
      /^[\x21-\x7e]+$/.test(key) ? problem?.(key) : 'must be printable ASCII without spaces',
  });
