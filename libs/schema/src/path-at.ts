import { pointer } from './issue';

/**
 * JSON pointer to the value that a reader stood in when it stopped at `offset`. Everything before the offset
 * must be the beginning of a JSON text. Walks the text again, so that reading without errors pays nothing.
 */
export const pathAt = (text: string, offset: number): string => {
  const steps: (string | number | null)[] = [];
  for (let at = 0; at < offset; at += 1) {
    const top = steps.length - 1;
    const step = steps[top];
    switch (text.charAt(at)) {
      case '{':
        steps.push(null);
        break;
      case '[':
        steps.push(0);
        break;
      case '}':
      case ']':
        steps.pop();
        break;
      case ',':
        steps[top] = typeof step === 'number' ? step + 1 : null;
        break;
      case '"': {
        const end = afterString(text, at);
        if (end <= offset && step === null) steps[top] = JSON.parse(text.slice(at, end)) as string;
        at = end - 1;
      }
    }
  }
  return pointer(...steps.filter((step) => step !== null));
};

/** The index after the string that begins at `at`; beyond the text when it does not end. */
const afterString = (text: string, at: number): number => {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end + 1;
};
