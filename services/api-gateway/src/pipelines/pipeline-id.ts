import { isIdForm, Refusal } from '@penstock/contracts';

/** Reads an id from a path. @throws Refusal PipelineNotExist for a text that does not have the form of an id. */
export const pipelineId = (text: string): string => {
  if (!isIdForm(text)) throw new Refusal('PipelineNotExist');
  return text;
};
