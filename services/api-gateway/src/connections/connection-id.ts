import { isIdForm, Refusal } from '@penstock/contracts';

/** The id in a path. @throws Refusal ConnectionNotExist for what no connection can be called. */
export const connectionId = (text: string): string => {
  if (!isIdForm(text)) throw new Refusal('ConnectionNotExist');
  return text;
};
