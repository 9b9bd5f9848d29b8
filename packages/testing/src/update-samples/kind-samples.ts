import { ADA, BEN, BOT, CHANNEL, GROUP, messageIn, PRIVATE, photoSize, postIn, SUPERGROUP } from './sample-parts.ts';

const json = String.raw;
const CONNECTION = '"business_connection_id":"Xy12-business"';
const RIGHTS =
  '"can_be_edited":false,"can_manage_chat":true,"can_change_info":true,"can_delete_messages":true,"can_invite_users":true,"can_restrict_members":true,"can_pin_messages":true,"can_promote_members":false,"can_manage_video_chats":true,"is_anonymous":false';
const SOURCE = `{"source":"premium","user":${ADA}}`;

/** Payloads of every update kind except `message`; a kind with several samples adds a name after a colon. */
export const kindSamples: Record<string, string> = {
  edited_message: json`${messageIn(PRIVATE, 201)},"edit_date":1790000500,"text":"High tide at 06:45"}`,
  'edited_message:caption': json`${messageIn(PRIVATE, 202)},"edit_date":1790000501,"photo":[${photoSize('edited-photo', 90, 60)}],"caption":"after the edit"}`,
  channel_post: json`${postIn(CHANNEL, 203)},"author_signature":"Master","text":"Spring tide tonight"}`,
  'channel_post:photo': json`${postIn(CHANNEL, 204)},"photo":[${photoSize('post-photo', 90, 60)}],"caption":"table"}`,
  edited_channel_post: json`${postIn(CHANNEL, 205)},"edit_date":1790000502,"text":"Spring tide tomorrow"}`,
  inline_query: json`{"id":"3006007008009001","from":${ADA},"chat_type":"sender","query":"tide","offset":""}`,
  chosen_inline_result: json`{"from":${ADA},"query":"tide","result_id":"r1","inline_message_id":"AgAAAinline1"}`,
  callback_query: json`{"id":"3006007008009002","from":${ADA},"message":${messageIn(PRIVATE, 206, BOT)},"text":"Berth?","reply_markup":{"inline_keyboard":[[{"text":"7","callback_data":"berth:7"}]]}},"chat_instance":"-880011223344556677","data":"berth:7"}`,
  'callback_query:inline': json`{"id":"3006007008009003","from":${ADA},"inline_message_id":"AgAAAinline1","chat_instance":"880011223344556677","data":"more"}`,
  'callback_query:game': json`{"id":"3006007008009004","from":${ADA},"message":${messageIn(PRIVATE, 207, BOT)},"game":{"title":"Docking","description":"","photo":[]}},"chat_instance":"1","game_short_name":"docking"}`,
  'callback_query:inaccessible': json`{"id":"3006007008009005","from":${BEN},"message":{"message_id":2,"chat":${SUPERGROUP},"date":0},"chat_instance":"2","data":"old"}`,
  shipping_query: json`{"id":"3006007008009006","from":${ADA},"invoice_payload":"rope-20m","shipping_address":{"country_code":"DE","state":"","city":"Kiel","street_line1":"Kai 1","street_line2":"","post_code":"24103"}}`,
  pre_checkout_query: json`{"id":"3006007008009007","from":${ADA},"currency":"EUR","total_amount":4200,"invoice_payload":"berth-7"}`,
  poll: json`{"id":"5200300400500600700","question":"Who sails?","options":[{"text":"me","voter_count":2},{"text":"not me","voter_count":1}],"total_voter_count":3,"is_closed":true,"is_anonymous":true,"type":"regular","allows_multiple_answers":false}`,
  poll_answer: json`{"poll_id":"5200300400500600700","user":${BEN},"option_ids":[0]}`,
  my_chat_member: json`{"chat":{"id":-1002100200310,"title":"Just joined","type":"supergroup"},"from":${ADA},"date":1790000600,"old_chat_member":{"user":${BOT},"status":"left"},"new_chat_member":{"user":${BOT},"status":"administrator",${RIGHTS}}}`,
  chat_member: json`{"chat":${SUPERGROUP},"from":${ADA},"date":1790000601,"old_chat_member":{"user":${BEN},"status":"member"},"new_chat_member":{"user":${BEN},"status":"kicked","until_date":0}}`,
  chat_join_request: json`{"chat":${SUPERGROUP},"from":${BEN},"user_chat_id":700100201,"date":1790000602,"bio":"sailor","invite_link":{"invite_link":"https:\/\/t.me\/+abc","creator":${ADA},"creates_join_request":true,"is_primary":false,"is_revoked":false}}`,
  chat_boost: json`{"chat":${CHANNEL},"boost":{"boost_id":"b1","add_date":1790000603,"expiration_date":1792592603,"source":${SOURCE}}}`,
  removed_chat_boost: json`{"chat":${CHANNEL},"boost_id":"b1","remove_date":1790000604,"source":${SOURCE}}`,
  message_reaction: json`{"chat":${SUPERGROUP},"message_id":18,"user":${BEN},"date":1790000605,"old_reaction":[],"new_reaction":[{"type":"emoji","emoji":"\u2693"},{"type":"custom_emoji","custom_emoji_id":"5368324170671202286"}]}`,
  message_reaction_count: json`{"chat":${CHANNEL},"message_id":203,"date":1790000606,"reactions":[{"type":{"type":"emoji","emoji":"\ud83d\udc4d"},"total_count":41},{"type":{"type":"paid"},"total_count":2}]}`,
  business_connection: json`{"id":"Xy12-business","user":${BEN},"user_chat_id":700100201,"date":1790000607,"rights":{"can_reply":true},"is_enabled":true}`,
  business_message: json`{${CONNECTION},"message_id":301,"from":${ADA},"chat":${PRIVATE},"date":1790000608,"text":"Is berth 7 free?"}`,
  'business_message:by_bot': json`{${CONNECTION},"message_id":302,"from":${BEN},"sender_business_bot":${BOT},"chat":${PRIVATE},"date":1790000609,"text":"It is."}`,
  edited_business_message: json`{${CONNECTION},"message_id":303,"from":${ADA},"chat":${PRIVATE},"date":1790000610,"edit_date":1790000611,"text":"Is berth 8 free?"}`,
  deleted_business_messages: json`{${CONNECTION},"chat":${PRIVATE},"message_ids":[301,999]}`,
  purchased_paid_media: json`{"from":${ADA},"paid_media_payload":"wall-1"}`,
  subscription: json`{"user":${ADA},"invoice_payload":"berth-7","state":"canceled"}`,
  stopped_message_generation: json`{"chat":${PRIVATE},"message_thread_id":7,"draft_id":4711}`,
  widget_query: json`{"id":"3006007008009010","from":${ADA},"chat":${PRIVATE},"message_id":206,"chat_instance":"3","type":{"type":"data"},"data":"berth:7"}`,
  shared_widget_query: json`{"id":"3006007008009011","from":${ADA},"widget_id":"81","type":{"type":"data"},"data":"tide"}`,
  managed_bot: json`{"user":${ADA},"bot":{"id":5550003333,"is_bot":true,"first_name":"Tug","username":"tug_sample_bot"}}`,
  guest_message: json`{"message_id":401,"from":${BEN},"chat":${GROUP},"date":1790000612,"guest_query_id":"gq1","text":"@harbour_sample_bot tide?"}`,
};
