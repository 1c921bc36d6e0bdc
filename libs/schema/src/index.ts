export { align, type AlignmentMode, type Difference } from './types/align';
export { type Issue, Invalid, pointer } from './issue';
export { isJsonArray, isJsonObject, type Json, JsonNumber, type JsonObject } from './json';
export { JsonSyntaxError } from './json-syntax-error';
export { JsonText } from './json-text';
export { MASK, maskedValues } from './masked-values';
export { nearestName } from './nearest-name';
export { type JsonLimits, parseJson } from './parse-json';
export { isPropertyName, isPropertyPath, resolvePath } from './paths';
export { pathWithoutKeys, type Step, stepsTo } from './path-steps';
export { checkRoleFlags, type SchemaRole } from './role-flags';
export { codePointLength, compareCodePoints } from './texts/code-points';
export { cutFraction } from './texts/cut-fraction';
export { canonicalDate } from './texts/date';
export { canonicalDateTime, compareDateTimes } from './texts/date-time';
export { canonicalDecimal, compareDecimals, type DecimalLimits } from './texts/decimal';
export { floatText, parseFloatText } from './texts/float';
export { canonicalIp } from './texts/ip';
export {
  compilePattern,
  type Pattern,
  type PatternMatch,
  PatternSyntaxError,
} from './texts/pattern';
export { canonicalTime } from './texts/time';
export { canonicalUuid } from './texts/uuid';
export {
  type ArrayType,
  type DecimalType,
  type FloatType,
  type IntType,
  type Kind,
  KINDS,
  type MapType,
  type ObjectType,
  type PlainType,
  type Property,
  type Schema,
  type StringType,
  type Type,
} from './type';
export { parseSchema, parseType, readSchema, type SchemaReading } from './types/parse-type';
export { printType, typeToJson } from './types/print-type';
export {
  compileUpdateTimeFormat,
  type UpdateTime,
  type UpdateTimeReader,
  type UpdateTimeSource,
} from './update-times/update-time';
export { newRecord, type RecordValue, type Value } from './value';
export type { DecodeOptions } from './values/codec-of';
export { compileCodec, type RecordCodec } from './values/record-codec';
export { checkValue, decodeValue, encodeValue, textOf, valueToJson } from './values/values';
export { destinationView, sourceView } from './views';
export { writeJson } from './write-json';
export { UNCLEAN } from './json-reader';
