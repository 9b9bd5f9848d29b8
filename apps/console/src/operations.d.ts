/** Made by the plugin in vite.config.ts. */
declare module 'virtual:operations' {
  export const operationTable: Readonly<Record<string, readonly ['GET' | 'POST', string]>>;
}

declare module '*.css';
