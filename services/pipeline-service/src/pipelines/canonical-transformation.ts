import { Refusal, type Transformation, type TransformationFunction } from '@penstock/contracts';
import type { SubmittedFunction, SubmittedTransformation } from './read-transformation';

const isSupported = (fn: SubmittedFunction): fn is TransformationFunction =>
  fn.language === 'JavaScript' || fn.language === 'Python';

/**
 * The form in which a transformation is kept: the paths of a function are sorted.
 *
 * @throws Refusal UnsupportedLanguage
 */
export const canonicalTransformation = (submitted: SubmittedTransformation): Transformation => {
  if (submitted.kind === 'mapping')
    return { mapping: Object.fromEntries(submitted.mapping), function: null };
  if (!isSupported(submitted.function)) throw new Refusal('UnsupportedLanguage');
  const { source, language, preserveJSON, inPaths, outPaths } = submitted.function;
  const sorted = { inPaths: [...inPaths].sort(), outPaths: [...outPaths].sort() };
  return { mapping: null, function: { source, language, preserveJSON, ...sorted } };
};
