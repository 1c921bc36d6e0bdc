import { isIdForm, Refusal } from '@penstock/contracts';

/** Reads an id from a path. @throws Refusal ConnectionNotExist for a text that does not have the form of an id. */
export const connectionId = (text: string): string => {
  if (!isIdForm(text)) throw new Refusal('ConnectionNotExist');
  return text;
};
