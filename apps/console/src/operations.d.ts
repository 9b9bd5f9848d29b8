/** Made by the plugin in vite.config.ts. */
declare module 'virtual:operations' {
  export const operationTable: Readonly<Record<string, readonly ['GET' | 'POST', string]>>;
}

/** Made there, too: what the contract says of each setting of a bot. */
declare module 'virtual:settings' {
  export type SettingControl = {
    readonly type?: string;
    readonly enum?: readonly string[];
    readonly minimum?: number;
    readonly maximum?: number;
    readonly maxLength?: number;
    readonly properties?: Readonly<Record<string, SettingControl>>;
  };
  export const settingControls: Readonly<Record<string, SettingControl>>;
}

declare module '*.css';
