/** Parts of hyparquet that it exports by file, whose types this way of resolving modules does not find. */
declare module 'hyparquet-writer/src/snappy.js' {
  export { snappyCompress } from 'hyparquet-writer/types/snappy';
}
declare module 'hyparquet-writer/src/datapage.js' {
  export { writePageHeader } from 'hyparquet-writer/types/datapage';
}
declare module 'hyparquet-writer/src/delta.js' {
  export { deltaBinaryPack } from 'hyparquet-writer/types/delta';
}
declare module 'hyparquet-writer/src/metadata.js' {
  export { writeMetadata } from 'hyparquet-writer/types/metadata';
}
declare module 'hyparquet/src/column.js' {
  export { parquetHeader } from 'hyparquet/types/column';
}
