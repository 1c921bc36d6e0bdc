/** Parts of hyparquet that it exports by file, whose types this way of resolving modules does not find. */
declare module 'hyparquet-writer/src/snappy.js' {
  export { snappyCompress } from 'hyparquet-writer/types/snappy';
}
declare module 'hyparquet-writer/src/datapage.js' {
  export { writePageHeader } from 'hyparquet-writer/types/datapage';
}
declare module 'hyparquet-writer/src/metadata.js' {
  export { writeMetadata } from 'hyparquet-writer/types/metadata';
}
declare module 'hyparquet/src/column.js' {
  export { parquetHeader } from 'hyparquet/types/column';
}
declare module 'hyparquet/src/plain.js' {
  export { readPlain } from 'hyparquet/types/plain';
}
declare module 'hyparquet/src/delta.js' {
  export { deltaBinaryUnpack, deltaLengthByteArray } from 'hyparquet/types/delta';
}
declare module 'hyparquet/src/encoding.js' {
  export { byteStreamSplit } from 'hyparquet/types/encoding';
}
